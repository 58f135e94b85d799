import { type Block, isThinkingBlock, type Message } from '../../../module-api.ts';

const strippedMessages = new WeakMap<Message, Message>();

/**
 * A message without what its model thought. A thought is signed together with all that came before it, so that it goes
 * when that is changed. The other blocks are copies: some formats would write them back with the name of the thought.
 */
export function removeThoughts(message: Message): Message {
  const { content } = message;
  if (typeof content === 'string' || !content.some(isThinkingBlock)) return message;
  const before = strippedMessages.get(message);
  if (before !== undefined) return before;
  const said = content.flatMap((block): readonly Block[] => (isThinkingBlock(block) ? [] : [{ ...block }]));
  const bare: Message = { ...message, content: said.length > 0 ? said : emptyTurn };
  strippedMessages.set(message, bare);
  return bare;
}

/** Of a turn in which nothing was said. */
const emptyTurn: readonly Block[] = [{ type: 'text', text: '…' }];
