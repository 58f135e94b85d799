import { classOf, isDigit, word } from './characters.ts';

/** Digits in groups, such as `4111 1111-1111.1111`, `+49 (0)30 12345` or `2024-01-31`. */
export interface NumberRun {
  readonly start: number;
  readonly digits: string;
  /** The number of digits up to the end of each group. */
  readonly counts: readonly number[];
  /** The number of digits of each group. */
  readonly sizes: readonly number[];
  /** Where each group ends in the text. */
  readonly ends: readonly number[];
  /** What is between the groups. */
  readonly gaps: readonly string[];
}

const digitsMax = 20;
const groupsMax = 8;
const gapCharactersMax = 3;

/** The longest text of a run: twenty digits with gaps between all of them. */
export const numberRunCharactersMax = digitsMax * (1 + gapCharactersMax);

/** Reads the run that begins with the digit at this place. */
export function readNumberRun(text: string, start: number): NumberRun {
  const counts: number[] = [];
  const sizes: number[] = [];
  const ends: number[] = [];
  const gaps: string[] = [];
  let digits = '';
  let at = start;
  for (;;) {
    const group = at;
    while (isDigit(text.charCodeAt(at)) && digits.length + at - group < digitsMax) at++;
    digits += text.slice(group, at);
    counts.push(digits.length);
    sizes.push(at - group);
    ends.push(at);
    const next = startOfNextGroup(text, at);
    if (next === undefined || digits.length === digitsMax || ends.length === groupsMax) break;
    gaps.push(text.slice(at, next));
    at = next;
  }
  return { start, digits, counts, sizes, ends, gaps };
}

/** Where the digits behind a gap begin. */
export function startOfNextGroup(text: string, end: number): number | undefined {
  let at = end;
  while (at < end + gapCharactersMax && at < text.length && isGap(text.charCodeAt(at))) at++;
  return at > end && at < text.length && isDigit(text.charCodeAt(at)) ? at : undefined;
}

/** Space, parentheses, hyphen, full stop and slash. */
export function isGap(code: number): boolean {
  return code === 32 || code === 40 || code === 41 || (code >= 45 && code <= 47);
}

/** Whether another number stands before a place, as in the rows of a table. */
export function followsNumber(text: string, start: number): boolean {
  let at = start - 1;
  while (at > 0 && start - at <= gapCharactersMax && isGap(text.charCodeAt(at))) at--;
  return at >= 0 && at < start - 1 && isDigit(text.charCodeAt(at));
}

/** Whether the text before a place can't be a part of the same number. */
export function isApartOnLeft(text: string, start: number): boolean {
  const before = text.charCodeAt(start - 1);
  if ((classOf(before) & word) !== 0) return false;
  const farther = text.charCodeAt(start - 2);
  if (before === 45) return (classOf(farther) & word) === 0;
  return !((before === 46 || before === 47) && isDigit(farther));
}

/** Whether the text after a place can't be a part of the same number. */
export function isApartOnRight(text: string, end: number): boolean {
  const after = text.charCodeAt(end);
  if ((classOf(after) & word) !== 0) return false;
  const isJoined = after === 45 || after === 46 || after === 47;
  return !isJoined || !isDigit(text.charCodeAt(end + 1));
}
