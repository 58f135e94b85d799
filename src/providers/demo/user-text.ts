import { isJsonObject } from '../../kernel/json.ts';

/** What a person asked, without what agents put around it in tags. */
export function userTextOf(content: unknown): string {
  const text = textOf(content);
  const own = stripTaggedText(text).trim();
  return own === '' ? text : own;
}

/** Without each opening tag that a closing tag of its name follows, up to the nearest one. */
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

/** Names of tags are short; reading more for each bracket would take quadratic time. */
const nameCharactersMax = 64;
/** Agents write a few dozen. */
const tagsMax = 10_000;

/** Whatever stands between the opening characters and the next `>`, as far as there are not too many. */
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

/** What a client wrote where nobody but this model judges it. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const texts = blocks.map((block) => (isJsonObject(block) && block.type === 'text' ? block.text : ''));
  return texts.map((text) => (typeof text === 'string' ? text : '')).join(' ');
}
