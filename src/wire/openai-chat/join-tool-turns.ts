import type { Block, Message } from '../../kernel/message.ts';
import { blocksOf } from '../blocks.ts';

/** All calls of a turn must be in one message, followed by their results: joins turns that would come between. */
export function joinToolTurns(messages: readonly Message[]): readonly Message[] {
  const turns: Message[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    if (last?.role !== message.role || !(hasBlock(last, 'tool_use') || hasBlock(message, 'tool_result')))
      turns.push(message);
    else
      turns[turns.length - 1] = {
        ...last,
        content: [...blocksOf(last.content), ...blocksOf(message.content)],
      };
  }
  return turns;
}

function hasBlock({ content }: Message, type: Block['type']): boolean {
  return typeof content !== 'string' && content.some((block) => block.type === type);
}
