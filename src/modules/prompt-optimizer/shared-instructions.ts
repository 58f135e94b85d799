import type { ChatRequest, TextBlock } from '../../module-api.ts';
import type { SystemSummary } from './head.ts';
import { sharedCharsMin } from './limits.ts';
import { endOfLines } from './lines.ts';

/** The lines at the start that these instructions have in common with those of earlier conversations. */
export function sharedLinesOf(
  { lines }: SystemSummary,
  before: readonly string[] | undefined,
): readonly string[] {
  if (before === undefined) return lines;
  const end = before.findIndex((digest, at) => digest !== lines[at]);
  return end < 0 ? before : before.slice(0, end);
}

/** The length of these lines; 0 if they are all of the text, or too short to be cached apart. */
export function sharedCharsOf(system: ChatRequest['system'], shared: readonly string[]): number {
  const text = singleTextOf(system);
  if (text === undefined) return 0;
  const chars = endOfLines(text, shared.length) ?? 0;
  return chars >= sharedCharsMin ? chars : 0;
}

/** Instructions in two blocks, of which other conversations have the first one, too. They are cut at the end of a line. */
export function splitShared(system: ChatRequest['system'], chars: number): readonly TextBlock[] | undefined {
  const text = singleTextOf(system);
  if (chars === 0 || text === undefined || text[chars] !== '\n') return undefined;
  return [text.slice(0, chars), text.slice(chars + 1)].map((part) => ({ type: 'text', text: part }));
}

/** The text of instructions in one piece and without a marker. */
function singleTextOf(system: ChatRequest['system']): string | undefined {
  if (typeof system === 'string') return system;
  const [block, ...others] = system ?? [];
  return others.length > 0 || block?.cache_control != null ? undefined : block?.text;
}
