import { isJsonObject } from '../../lib/json.ts';

/** The user's text without the tagged sections that agents add. */
export function userTextOf(content: unknown): string {
  const text = textOf(content);
  const own = stripTaggedText(text).trim();
  return own === '' ? text : own;
}

/** Removes each opening tag with its text up to the nearest closing tag of that name. */
function stripTaggedText(text: string): string {
  const endsByName = new Map<string, number[]>();
  for (const { name, end } of findTags(text, '</')) {
    const ends = endsByName.get(name);
    if (ends !== undefined) ends.push(end);
    else if (/^[a-z][\w-]*$/.test(name)) endsByName.set(name, [end]);
  }
  if (endsByName.size === 0) return text;
  for (const ends of endsByName.values()) ends.reverse();
  let own = '';
  let from = 0;
  for (const { name, start } of findTags(text, '<')) {
    const ends = endsByName.get(name);
    if (ends === undefined || start < from) continue;
    while ((ends.at(-1) ?? Infinity) <= start) ends.pop();
    const end = ends.at(-1);
    if (end === undefined) continue;
    own += text.slice(from, start);
    from = end;
  }
  return own + text.slice(from);
}

interface Tag {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** Tag names are short; reading more per bracket would take quadratic time. */
const nameCharactersMax = 64;
/** Agents write a few dozen. */
const tagsMax = 10_000;

/** The text between `opening` and the next `>`, up to a maximum number of tags. */
function* findTags(text: string, opening: '<' | '</'): Generator<Tag> {
  let close = -1;
  let count = 0;
  for (let start = text.indexOf(opening); start >= 0; start = text.indexOf(opening, start + 1)) {
    if (close < start) close = text.indexOf('>', start);
    if (close < 0 || count++ === tagsMax) return;
    const nameStart = start + opening.length;
    if (close - nameStart <= nameCharactersMax)
      yield { name: text.slice(nameStart, close), start, end: close + 1 };
  }
}

/** Reads unchecked client content: only this model sees it. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const texts = blocks.map((block) => (isJsonObject(block) && block.type === 'text' ? block.text : ''));
  return texts.map((text) => (typeof text === 'string' ? text : '')).join(' ');
}
