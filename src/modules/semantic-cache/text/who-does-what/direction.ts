import type { ParsedPrompt, ValueInText } from '../reading/prompt.ts';

/** The direction of a conversion between two values of a kind, if the prompt states it. */
export function conversionDirectionOf({ words, values }: ParsedPrompt): string | undefined {
  const pair = findPairOfOneKind(values);
  if (pair === undefined) return undefined;
  const [first, second] = pair;
  const before = words.slice(Math.max(0, first.at - 2), first.at).map((word) => word.text);
  const between = words.slice(first.at + 1, second.at).map((word) => word.text);
  if (before.includes('many') || before.includes('much')) return `${second.value} to ${first.value}`;
  if (before.at(-1) === 'to' || before.at(-1) === 'into')
    return between.includes('from') ? `${second.value} to ${first.value}` : undefined;
  if (between.some((word) => ['to', 'into', 'in', 'as', '='].includes(word)))
    return `${first.value} to ${second.value}`;
  return undefined;
}

function findPairOfOneKind(values: readonly ValueInText[]): readonly [ValueInText, ValueInText] | undefined {
  for (const first of values) {
    const second = values.find(
      (one) => one.kind === first.kind && one.at > first.at && one.value !== first.value,
    );
    if (second !== undefined) return [first, second];
  }
  return undefined;
}
