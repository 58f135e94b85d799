import { isJsonObject } from '../../kernel/json.ts';

/** What a person asked, without what agents put around it in tags. */
export function askedIn(content: unknown): string {
  const text = textOf(content);
  const own = withoutTagged(text).trim();
  return own === '' ? text : own;
}

/** Without each opening tag that a closing tag of its name follows, up to the nearest one. Takes one pass over each kind of tag. */
function withoutTagged(text: string): string {
  const endsByName = new Map<string, number[]>();
  for (const { 0: tag, 1: name = '', index } of text.matchAll(/<\/([a-z][\w-]*)>/g)) {
    const ends = endsByName.get(name) ?? [];
    ends.push(index + tag.length);
    endsByName.set(name, ends);
  }
  for (const ends of endsByName.values()) ends.reverse();
  let own = '';
  let from = 0;
  for (const { 1: name = '', index } of text.matchAll(/<([a-z][\w-]*)>/g)) {
    const ends = endsByName.get(name);
    if (ends === undefined || index < from) continue;
    while ((ends.at(-1) ?? Infinity) <= index) ends.pop();
    const end = ends.at(-1);
    if (end === undefined) continue;
    own += text.slice(from, index);
    from = end;
  }
  return own + text.slice(from);
}

/** What a client wrote where nobody but this model judges it. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const texts = blocks.map((block) => (isJsonObject(block) && block.type === 'text' ? block.text : ''));
  return texts.map((text) => (typeof text === 'string' ? text : '')).join(' ');
}
