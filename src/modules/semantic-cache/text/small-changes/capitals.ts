import type { ParsedPrompt } from '../reading/prompt.ts';
import type { Word } from '../reading/words.ts';

/** Small words that are names in capitals: the US, the WHO. */
const capitalizedSmallWords = new Set(['us', 'it', 'who']);

/** Whether the same words name something in one that the other speaks of as such: "how old is China", and "china". */
export function differInProperName(old: ParsedPrompt, now: ParsedPrompt): boolean {
  if (old.quoted.length !== now.quoted.length) return false;
  return old.words.some((one, at) => {
    const other = now.words[at];
    return (
      other !== undefined && (isProperNameOnlyHere(one, other, now) || isProperNameOnlyHere(other, one, old))
    );
  });
}

/** Who writes no capitals at all means nothing by that. */
function isProperNameOnlyHere(one: Word, other: Word, { text }: ParsedPrompt): boolean {
  if (one.text !== other.text || !one.isName || other.raw !== other.text || !/^\p{Lu}/u.test(text))
    return false;
  return one.isContent || (capitalizedSmallWords.has(one.text) && one.raw === one.raw.toUpperCase());
}
