import type { ParsedPrompt, ValueInText } from '../reading/prompt.ts';

/** Whether they name different values of a kind, or only one names a value of a kind where that matters. */
export function differInValues(old: ParsedPrompt, now: ParsedPrompt): boolean {
  const kinds = new Set([...old.values, ...now.values].map(({ kind }) => kind));
  for (const kind of kinds) {
    const ofKind = ({ values: all }: ParsedPrompt) => all.filter((one) => one.kind === kind);
    const [one, other] = [ofKind(old), ofKind(now)];
    const gone = one.filter(({ value }) => !other.some((there) => there.value === value));
    const come = other.filter(({ value }) => !one.some((there) => there.value === value));
    if (gone.length > 0 && come.length > 0) return true;
    if (one.length > 0 && other.length > 0) continue;
    if (gone.some((value) => isRequested(value, old)) || come.some((value) => isRequested(value, now)))
      return true;
  }
  return false;
}

/** Whether naming this value differs from naming none; an output format counts when requested: "as a table". */
function isRequested({ counts, kind, at }: ValueInText, { words, numbers }: ParsedPrompt): boolean {
  if (kind === 'currency') return counts && numbers.length === 0;
  if (kind !== 'shape of an answer') return counts;
  return (
    ['as', 'in', 'into'].includes(words[at]?.marker ?? '') &&
    !['this', 'the', 'that', 'following', 'my'].includes(words[at - 1]?.text ?? '')
  );
}
