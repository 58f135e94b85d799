import type { Block, Message } from '../../kernel/message.ts';

/** A turn that answers calls must begin with their results, or it is refused: what was said before them comes behind. */
export function resultsFirst(messages: readonly Message[]): readonly Message[] {
  const turns: Message[] = [];
  for (const message of messages) {
    if (message.role !== 'user' || !hasResult(message)) {
      turns.push(message);
      continue;
    }
    const before = turns.splice(turns.findLastIndex(({ role }) => role !== 'user') + 1);
    turns.push(arranged([...before, message].flatMap(blocksOf)));
  }
  return turns;
}

function arranged(blocks: readonly Block[]): Message {
  return {
    role: 'user',
    content: [...blocks.filter(isResult), ...blocks.filter((block) => !isResult(block))],
  };
}

function hasResult({ content }: Message): boolean {
  return typeof content !== 'string' && content.some(isResult);
}

function isResult({ type }: Block): boolean {
  return type === 'tool_result';
}

function blocksOf({ content }: Message): readonly Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}
