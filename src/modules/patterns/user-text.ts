import type { Message } from '../../module-api.ts';
import { limits } from './limits.ts';

/** What a person says in a message: without results of tools, blocks that a client put in, code and quotations. */
export function userTextOf({ role, content }: Message): string {
  if (role !== 'user') return '';
  const texts =
    typeof content === 'string'
      ? [content]
      : content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  return texts
    .map((text) => removeClientBlocks(text.slice(0, limits.readCharactersMax)))
    .join('\n')
    .replace(/^(```|~~~)[\s\S]*?(^\1|$(?![\s\S]))/gm, ' ')
    .replace(/^[ \t]*>.*$/gm, ' ')
    .replace(quotation, (whole, said: string) => (isSentence(said) ? ' ' : whole))
    .replace(/[ \t]+/g, ' ')
    .trim();
}

/** The same of messages that are a person's alone: beside the result of a tool, nobody knows whose a text is. */
export function userOnlyTextOf(message: Message): string {
  const { content } = message;
  const isToolsTurn = typeof content !== 'string' && content.some(({ type }) => type === 'tool_result');
  return isToolsTurn ? '' : userTextOf(message);
}

const quotation = /["“”„»«]([^"“”„»«]+)["“”„»«]/g;

/** A few words in quotation marks are a name or an emphasis. */
function isSentence(said: string): boolean {
  return (said.match(/\S+/g)?.length ?? 0) > 4;
}

const tag = /(^[ \t]*)?<(\/?)([a-z][\w:.-]*)(?:\s[^<>]*?)?(\/?)>/gim;

/**
 * Blocks as clients put them in: a tag that begins a line, one with a name that nobody writes by hand
 * (`<system-reminder>` and its kind), and any that is closed further on. One that isn't closed goes on to the end.
 */
function removeClientBlocks(text: string): string {
  const tags = [...text.matchAll(tag)];
  const closedAt = new Map<string, number>();
  for (const { 2: closing, 3: name = '', index } of tags)
    if (closing === '/') closedAt.set(name.toLowerCase(), index);
  let kept = '';
  let from = 0;
  let within: string | undefined;
  let depth = 0;
  for (const { 0: whole, 1: start, 2: closing, 3: said = '', 4: alone, index } of tags) {
    if (alone === '/') continue;
    const name = said.toLowerCase();
    if (within === undefined) {
      const isBlock = start !== undefined || /[-_]/.test(name) || (closedAt.get(name) ?? -1) > index;
      if (closing === '/' || !isBlock) continue;
      kept += text.slice(from, index);
      [within, depth] = [name, 1];
    } else if (name === within) {
      depth += closing === '/' ? -1 : 1;
      if (depth > 0) continue;
      within = undefined;
      from = index + whole.length;
    }
  }
  return within === undefined ? kept + text.slice(from) : kept;
}
