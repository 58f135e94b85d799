import type { ParsedPrompt } from '../reading/prompt.ts';
import { stemOf } from '../reading/stems.ts';
import { kindValues } from '../reading/value-kinds.ts';

/** Each number has the same thing behind it, wherever it stands: "9 sentences on 3 cats". */
export function sameUnits(old: ParsedPrompt, now: ParsedPrompt): boolean {
  const named = ({ numbers }: ParsedPrompt) =>
    numbers.map(({ value, next }) => `${value} ${unitOf(next) ?? stemOf(next)}`);
  const isTold = ({ numbers, content }: ParsedPrompt) =>
    numbers.every(({ next }) => unitOf(next) !== undefined || content.some((word) => word.text === next));
  return isTold(old) && isTold(now) && named(old).sort().join() === named(now).sort().join();
}

/** Each number with a unit behind it has no other unit there. */
export function areUnitsCompatible(old: ParsedPrompt, now: ParsedPrompt): boolean {
  return old.numbers.every(({ value, next }) => {
    const unit = unitOf(next);
    const there = now.numbers.filter((number) => number.value === value).map((number) => unitOf(number.next));
    return unit === undefined || there.length === 0 || there.some((one) => one === undefined || one === unit);
  });
}

/** Whether a number is a share here, and there are no shares there: 5% and 5. */
export function isPercentageOnlyHere({ numbers }: ParsedPrompt, other: ParsedPrompt): boolean {
  return (
    numbers.some(({ next }) => unitOf(next) === 'percent') &&
    !other.values.some(({ kind }) => kind === 'share') &&
    !/percent/.test(other.plain)
  );
}

function unitOf(word: string): string | undefined {
  return (kindValues.get(word) ?? []).find(
    ({ kind }) => kind.startsWith('unit') || ['currency', 'speed', 'share'].includes(kind),
  )?.value;
}
