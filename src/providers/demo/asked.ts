import { isJsonObject } from '../../kernel/json.ts';

/** What a person asked, without what agents put around it in tags. */
export function askedIn(content: unknown): string {
  const text = textOf(content);
  const own = text.replaceAll(/<([a-z][\w-]*)>[\s\S]*?<\/\1>/g, '').trim();
  return own === '' ? text : own;
}

/** What a client wrote where nobody but this model judges it. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const texts = blocks.map((block) => (isJsonObject(block) && block.type === 'text' ? block.text : ''));
  return texts.map((text) => (typeof text === 'string' ? text : '')).join(' ');
}
