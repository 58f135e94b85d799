import { limits } from './limits.ts';
import type { Message } from './message.ts';

/** The text that the user wrote in a message, without tool results, blocks inserted by the client, code and quotations. */
export function userTextOf({ role, content }: Message): string {
  if (role !== 'user') return '';
  const texts =
    typeof content === 'string'
      ? [content]
      : content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  return texts
    .map((text) => removeClientBlocks(text.slice(0, limits.userTextCharactersMax)))
    .join('\n')
    .replace(/^(```|~~~)[\s\S]*?(^\1|$(?![\s\S]))/gm, ' ')
    .replace(/^[ \t]*>.*$/gm, ' ')
    .replace(quotation, (whole, quoted: string) => (isSentence(quoted) ? ' ' : whole))
    .replace(/[ \t]+/g, ' ')
    .trim();
}

/** The same, but empty for a message with tool results, where the author of a text is unknown. */
export function userOnlyTextOf(message: Message): string {
  const { content } = message;
  const isToolsTurn = typeof content !== 'string' && content.some(({ type }) => type === 'tool_result');
  return isToolsTurn ? '' : userTextOf(message);
}

const quotation = /["“”„»«]([^"“”„»«]+)["“”„»«]/g;

/** A few words in quotation marks are usually a name or an emphasis. */
function isSentence(quoted: string): boolean {
  return (quoted.match(/\S+/g)?.length ?? 0) > 4;
}

const tag = /(^[ \t]*)?<(\/?)([a-z][\w:.-]*)(?:\s[^<>]*?)?(\/?)>/gim;

/**
 * Removes blocks inserted by clients: tags at the start of a line, tags with names that users don't write by hand (such as
 * `<system-reminder>`), and all tags that are closed later. An unclosed block extends to the end.
 */
export function removeClientBlocks(text: string): string {
  const tags = [...text.matchAll(tag)];
  const closedAt = new Map<string, number>();
  for (const { 2: closing, 3: name = '', index } of tags)
    if (closing === '/') closedAt.set(name.toLowerCase(), index);
  let remaining = '';
  let from = 0;
  let within: string | undefined;
  let depth = 0;
  for (const { 0: whole, 1: start, 2: closing, 3: tagName = '', 4: alone, index } of tags) {
    if (alone === '/') continue;
    const name = tagName.toLowerCase();
    if (within === undefined) {
      const isBlock = start !== undefined || /[-_]/.test(name) || (closedAt.get(name) ?? -1) > index;
      if (closing === '/' || !isBlock) continue;
      remaining += text.slice(from, index);
      [within, depth] = [name, 1];
    } else if (name === within) {
      depth += closing === '/' ? -1 : 1;
      if (depth > 0) continue;
      within = undefined;
      from = index + whole.length;
    }
  }
  return within === undefined ? remaining + text.slice(from) : remaining;
}
