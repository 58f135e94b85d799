import { classOf, word } from '../characters.ts';
import { isApartOnLeft, isApartOnRight, type NumberRun } from '../number-run.ts';
import { byChecksum, type PatternFindings } from '../pattern-findings.ts';
import { type DigitNumber, digitNumbers } from './digit-numbers.ts';
import { digitsFirst, type LetterNumber, lettersFirst } from './letter-numbers.ts';

const wordsCharactersMax = 60;

const byCount = new Map<number, readonly DigitNumber[]>();
for (const number of digitNumbers)
  for (const count of number.digits) byCount.set(count, [...(byCount.get(count) ?? []), number]);

/** A number of a country that begins with a group of digits; where it ends. */
export function nationalNumberIn(text: string, run: NumberRun, found: PatternFindings): number | undefined {
  if (!isApartOnLeft(text, run.start)) return undefined;
  for (let group = run.counts.length - 1; group >= 0; group--) {
    const count = run.counts[group] ?? 0;
    const candidates = byCount.get(count);
    const end = run.ends[group] ?? 0;
    if (candidates === undefined || !isApartOnRight(text, end)) continue;
    const digits = run.digits.slice(0, count);
    const written = text.slice(run.start, end);
    const number = candidates.find(
      ({ isValid, format, words }) =>
        isValid(digits) && (format?.test(written) === true || follows(text, run.start, words)),
    );
    if (number === undefined) continue;
    found.add({ start: run.start, end, kind: number.kind ?? 'NATIONAL_ID' }, byChecksum);
    return end;
  }
  return undefined;
}

/** A number with letters that begins at this place; where it ends. */
export function letteredNumberAt(text: string, at: number, found: PatternFindings): number | undefined {
  if (!isApartOnLeft(text, at)) return undefined;
  return addLettered(text, { at, candidates: lettersFirst }, found);
}

/** A number that begins with digits and has letters behind them. */
export function mixedNumberAt(text: string, at: number, found: PatternFindings): number | undefined {
  if (!isApartOnLeft(text, at)) return undefined;
  return addLettered(text, { at, candidates: digitsFirst }, found);
}

function addLettered(
  text: string,
  { at, candidates }: { readonly at: number; readonly candidates: readonly LetterNumber[] },
  found: PatternFindings,
): number | undefined {
  for (const { expression, isValid, words } of candidates) {
    expression.lastIndex = at;
    if (!expression.test(text)) continue;
    const end = expression.lastIndex;
    if (
      !isValid(text.slice(at, end).replace(/[^A-Z0-9]/g, '')) ||
      (classOf(text.charCodeAt(end)) & word) !== 0
    )
      continue;
    if (words !== undefined && !follows(text, at, words)) continue;
    found.add({ start: at, end, kind: 'NATIONAL_ID' }, byChecksum);
    return end;
  }
  return undefined;
}

/** Whether one of the words is among the last ones before a place. */
function follows(text: string, at: number, words: RegExp): boolean {
  return words.test(text.slice(Math.max(0, at - wordsCharactersMax), at));
}
