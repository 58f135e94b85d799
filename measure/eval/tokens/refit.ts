import { templateFor } from '../../../src/providers/tokens/prompt-template.ts';
import { numbersOf, type TextLayout } from './laid-out.ts';

export interface CountedText {
  readonly laid: TextLayout;
  readonly reported: number;
}

/**
 * The numbers of a template by these calls alone, whatever it has now: the least relative error there is, number by number. What
 * few calls say little about stays with what is taken for families that nobody knows.
 */
export function refitted(calls: readonly CountedText[]): readonly number[] {
  const unknown = numbersOf(templateFor('', undefined));
  const declares = calls[0]?.laid.template.tools.as === 'declarations';
  const start = declares ? unknown.with(5, 1) : unknown;
  let numbers = start;
  for (let round = 0; round < rounds; round++)
    for (const at of numbers.keys()) {
      if (at === 5 && declares) continue;
      const best = median([
        { value: start[at] ?? 0, weight: doubt / (steps[at] ?? 1) },
        ...calls.flatMap((call) => wantedOf(call, numbers, at)),
      ]);
      numbers = numbers.with(at, Math.min(mosts[at] ?? best, Math.max(leasts[at] ?? 0, best)));
    }
  return numbers;
}

/** What the number would be if this call had to come out right. */
function wantedOf(
  { laid, reported }: CountedText,
  numbers: readonly number[],
  at: number,
): readonly WeightedText[] {
  const amount = laid.amounts[at] ?? 0;
  if (amount === 0) return [];
  const others = laid.amounts.reduce(
    (sum, each, n) => (n === at ? sum : sum + each * (numbers[n] ?? 0)),
    laid.rest,
  );
  return [{ value: (reported - others) / amount, weight: amount / reported }];
}

interface WeightedText {
  readonly value: number;
  readonly weight: number;
}

function median(weighed: readonly WeightedText[]): number {
  const sorted = weighed.toSorted((one, other) => one.value - other.value);
  const half = sorted.reduce((sum, { weight }) => sum + weight, 0) / 2;
  let before = 0;
  for (const { value, weight } of sorted) {
    before += weight;
    if (before >= half) return value;
  }
  return 0;
}

/** No tokenizer in service is further from OpenAI's in English prose. */
const leasts: readonly number[] = [0.9];
const mosts: readonly number[] = [1.2];
const rounds = 60;
/** How far a number may be off before it matters, and how much a call weighs that says nothing about it. */
const steps: readonly number[] = [0.1, 4, 1, 10, 50, 0.2];
const doubt = 0.1;
