import type { Block } from '../kernel/message.ts';

/** The content of a message or a tool result as blocks. */
export function blocksOf(content: string | readonly Block[]): readonly Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}
