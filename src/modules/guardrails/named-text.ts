import type { TextPlace } from '../../module-api.ts';
import type { Finding } from './finding.ts';

/** A text as it is scanned: with the name of its field in front, since `password` or `phone` says what a value is. */
export function namedText(text: string, { name }: Pick<TextPlace, 'name'>): string {
  return nameBefore(name) + text;
}

/** Findings in the named text, as ranges of the text itself. */
export function withoutName(
  findings: readonly Finding[],
  { name }: Pick<TextPlace, 'name'>,
): readonly Finding[] {
  const offset = nameBefore(name).length;
  if (offset === 0 || findings.length === 0) return findings;
  return findings
    .filter(({ end }) => end > offset)
    .map(({ start, end, kind }) => ({ start: Math.max(0, start - offset), end: end - offset, kind }));
}

function nameBefore(name: string | undefined): string {
  return name === undefined || name.length > nameCharactersMax ? '' : `${name}: `;
}

/** Longer names are texts themselves. */
const nameCharactersMax = 64;
