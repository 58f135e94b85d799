import { type Block, isThinkingBlock, type Message } from '../../../module-api.ts';

const strippedMessages = new WeakMap<Message, Message>();

/**
 * Removes thinking blocks. Their signature covers everything before them, so they are invalid after an edit.
 * The other blocks are copied: some formats would otherwise encode them with the id of the removed thought.
 */
export function removeThoughts(message: Message): Message {
  const { content } = message;
  if (typeof content === 'string' || !content.some(isThinkingBlock)) return message;
  const before = strippedMessages.get(message);
  if (before !== undefined) return before;
  const remaining = content.flatMap((block): readonly Block[] =>
    isThinkingBlock(block) ? [] : [{ ...block }],
  );
  const bare: Message = { ...message, content: remaining.length > 0 ? remaining : emptyTurn };
  strippedMessages.set(message, bare);
  return bare;
}

/** Content of a turn that had only thinking blocks. */
const emptyTurn: readonly Block[] = [{ type: 'text', text: '…' }];
