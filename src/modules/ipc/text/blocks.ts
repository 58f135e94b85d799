import type { Block, Message, ToolResultBlock } from '../../../module-api.ts';

/** A cache: the same messages are measured many times. */
const charsByMessage = new WeakMap<Message, number>();

export function charsOf(message: Message): number {
  const { content } = message;
  if (typeof content === 'string') return content.length + messageChars;
  const before = charsByMessage.get(message);
  if (before !== undefined) return before;
  const chars = blockChars(content) + messageChars;
  charsByMessage.set(message, chars);
  return chars;
}

const messageChars = 30;

/** The approximate JSON size, without serializing. */
export function blockChars(blocks: readonly Block[]): number {
  let chars = 0;
  for (const block of blocks) {
    if (block.type === 'text') chars += block.text.length + 25;
    else if (block.type === 'tool_result') chars += 90 + resultChars(block);
    else if (block.type === 'image' || block.type === 'document') chars += mediaChars;
    else chars += JSON.stringify(block).length;
  }
  return chars;
}

export function resultChars({ content = [] }: ToolResultBlock): number {
  return typeof content === 'string' ? content.length : blockChars(content);
}

/** A picture takes about 1,500 tokens regardless of its bytes. */
const mediaChars = 6000;
