import type { Block, Message } from './message.ts';

export function blocksOf({ content }: Message): readonly Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** The text of a tool result; other blocks are represented by their type. */
export function resultText(content: string | readonly Block[] | undefined): string {
  if (content === undefined) return '';
  if (typeof content === 'string') return content;
  return content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n');
}

/** Whether the provider replaced the messages before the block with a summary. */
export function isCompactionBlock({
  type,
  kind,
}: {
  readonly type: string;
  readonly kind?: unknown;
}): boolean {
  return type === 'compaction' || kind === 'compaction';
}

export function hasCompaction({ content }: Message): boolean {
  return typeof content !== 'string' && content.some(isCompactionBlock);
}
