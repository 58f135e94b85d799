import type { Block, ChatRequest, Message } from '../message.ts';

/**
 * Whether the model waits for results of tools that it called while thinking. Its thinking is signed together with
 * everything before it, and must be sent back unchanged until the loop ends.
 */
export function isInThinkingLoop({ messages }: Pick<ChatRequest, 'messages'>): boolean {
  if (!hasResults(messages.at(-1))) return false;
  const lastUserIndex = messages.findLastIndex((message) => message.role === 'user' && !hasResults(message));
  return messages
    .slice(lastUserIndex + 1)
    .some((message) => message.role === 'assistant' && hasBlock(message, isThought));
}

function hasResults(message: Message | undefined): boolean {
  return message?.role === 'user' && hasBlock(message, ({ type }) => type === 'tool_result');
}

function hasBlock({ content }: Message, is: (block: Block) => boolean): boolean {
  return typeof content !== 'string' && content.some(is);
}

function isThought({ type }: Block): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}
