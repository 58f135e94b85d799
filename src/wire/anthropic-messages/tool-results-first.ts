import type { Block, Message } from '../../kernel/message.ts';
import { blocksOf } from '../blocks.ts';

/** Moves tool results to the start of their turn, as the provider requires. */
export function moveToolResultsFirst(messages: readonly Message[]): readonly Message[] {
  const turns: Message[] = [];
  for (const message of messages) {
    if (message.role !== 'user' || !hasToolResult(message)) {
      turns.push(message);
      continue;
    }
    const before = turns.splice(turns.findLastIndex(({ role }) => role !== 'user') + 1);
    turns.push(arrangeTurn([...before, message].flatMap(({ content }) => blocksOf(content))));
  }
  return turns;
}

function arrangeTurn(blocks: readonly Block[]): Message {
  return {
    role: 'user',
    content: [...blocks.filter(isToolResult), ...blocks.filter((block) => !isToolResult(block))],
  };
}

function hasToolResult({ content }: Message): boolean {
  return typeof content !== 'string' && content.some(isToolResult);
}

function isToolResult({ type }: Block): boolean {
  return type === 'tool_result';
}
