import { values } from '../reading/kinds.ts';
import type { Prompt } from '../reading/prompt.ts';
import { stemOf } from '../reading/stems.ts';

/** Each number has the same thing behind it, wherever it stands: "9 sentences on 3 cats". */
export function sameUnits(old: Prompt, now: Prompt): boolean {
  const named = ({ numbers }: Prompt) =>
    numbers.map(({ value, next }) => `${value} ${unitOf(next) ?? stemOf(next)}`);
  const isTold = ({ numbers, content }: Prompt) =>
    numbers.every(({ next }) => unitOf(next) !== undefined || content.some((word) => word.text === next));
  return isTold(old) && isTold(now) && named(old).sort().join() === named(now).sort().join();
}

/** Each number with a unit behind it has no other unit there. */
export function unitsFit(old: Prompt, now: Prompt): boolean {
  return old.numbers.every(({ value, next }) => {
    const unit = unitOf(next);
    const there = now.numbers.filter((number) => number.value === value).map((number) => unitOf(number.next));
    return unit === undefined || there.length === 0 || there.some((one) => one === undefined || one === unit);
  });
}

/** Whether a number is a share here, and there are no shares there: 5% and 5. */
export function isShareAlone({ numbers }: Prompt, other: Prompt): boolean {
  return (
    numbers.some(({ next }) => unitOf(next) === 'percent') &&
    !other.values.some(({ kind }) => kind === 'share') &&
    !/percent/.test(other.plain)
  );
}

function unitOf(word: string): string | undefined {
  return (values.get(word) ?? []).find(
    ({ kind }) => kind.startsWith('unit') || ['currency', 'speed', 'share'].includes(kind),
  )?.value;
}
