import type { ParsedPrompt } from '../reading/prompt.ts';
import { stemOf } from '../reading/stems.ts';
import { kindValues } from '../reading/value-kinds.ts';

/** Whether each number counts the same thing in both, in any order: "9 sentences on 3 cats". */
export function sameUnits(old: ParsedPrompt, now: ParsedPrompt): boolean {
  const named = ({ numbers }: ParsedPrompt) =>
    numbers.map(({ value, next }) => `${value} ${unitOf(next) ?? stemOf(next)}`);
  const hasUnits = ({ numbers, content }: ParsedPrompt) =>
    numbers.every(({ next }) => unitOf(next) !== undefined || content.some((word) => word.text === next));
  return hasUnits(old) && hasUnits(now) && named(old).sort().join() === named(now).sort().join();
}

/** Whether no number has a different unit in the other prompt. */
export function areUnitsCompatible(old: ParsedPrompt, now: ParsedPrompt): boolean {
  return old.numbers.every(({ value, next }) => {
    const unit = unitOf(next);
    const there = now.numbers.filter((number) => number.value === value).map((number) => unitOf(number.next));
    return unit === undefined || there.length === 0 || there.some((one) => one === undefined || one === unit);
  });
}

/** Whether a number is a percentage here and the other prompt has none: 5% and 5. */
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
