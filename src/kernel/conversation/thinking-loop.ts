import type { Block, ChatRequest, Message } from '../message.ts';

/**
 * Whether the model waits for results of tools that it called while thinking. Its thinking is signed together with
 * everything before it, and must be sent back unchanged until the loop ends.
 */
export function isInThinkingLoop({ messages }: Pick<ChatRequest, 'messages'>): boolean {
  if (!hasResults(messages.at(-1))) return false;
  return messages
    .slice(lastPromptIndex(messages) + 1)
    .some((message) => message.role === 'assistant' && hasBlock(message, isThought));
}

/** The index of the last message that is more than the results of tools; -1 if there is none. */
export function lastPromptIndex(messages: readonly Message[]): number {
  return messages.findLastIndex((message) => message.role === 'user' && !hasResults(message));
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
