import type { Message } from '../../module-api.ts';

/** What a person says in a message: without results of tools, blocks that a client put in, code and quotations. */
export function ownWords({ role, content }: Message): string {
  if (role !== 'user') return '';
  const texts =
    typeof content === 'string'
      ? [content]
      : content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  return texts
    .map((text) => withoutBlocks(text))
    .join('\n')
    .replace(/^(```|~~~)[\s\S]*?(^\1|$(?![\s\S]))/gm, ' ')
    .replace(/^\s*>.*$/gm, ' ')
    .replace(/[ \t]+/g, ' ')
    .trim();
}

/** A tag that begins a line, or with a name that no one writes by hand: `<system-reminder>` and its kind. */
const tag = /(^[ \t]*)?<(\/?)([a-z][\w:.-]*)(?:\s[^<>]*)?(\/?)>/gim;

/** A block that isn't closed goes on to the end. */
function withoutBlocks(text: string): string {
  let kept = '';
  let from = 0;
  let within: string | undefined;
  let depth = 0;
  for (const match of text.matchAll(tag)) {
    const [whole, start, closing, name = '', alone] = match;
    if (alone === '/') continue;
    if (within === undefined) {
      if (closing === '/' || (start === undefined && !/[-_]/.test(name))) continue;
      kept += text.slice(from, match.index);
      [within, depth] = [name.toLowerCase(), 1];
    } else if (name.toLowerCase() === within) {
      depth += closing === '/' ? -1 : 1;
      if (depth > 0) continue;
      within = undefined;
      from = match.index + whole.length;
    }
  }
  return within === undefined ? kept + text.slice(from) : kept;
}
