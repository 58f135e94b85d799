import type { ParsedPrompt } from '../reading/prompt.ts';
import type { Word } from '../reading/words.ts';

/** Function words that are names when capitalized: the US, the WHO. */
const capitalizedSmallWords = new Set(['us', 'it', 'who']);

/** Whether a word is a proper name in one prompt and a common noun in the other: "China" and "china". */
export function differInProperName(old: ParsedPrompt, now: ParsedPrompt): boolean {
  if (old.quoted.length !== now.quoted.length) return false;
  return old.words.some((one, at) => {
    const other = now.words[at];
    return (
      other !== undefined && (isProperNameOnlyHere(one, other, now) || isProperNameOnlyHere(other, one, old))
    );
  });
}

/** A prompt that doesn't begin with a capital gives no information: it may be all in lower case. */
function isProperNameOnlyHere(one: Word, other: Word, { text }: ParsedPrompt): boolean {
  if (one.text !== other.text || !one.isName || other.raw !== other.text || !/^\p{Lu}/u.test(text))
    return false;
  return one.isContent || (capitalizedSmallWords.has(one.text) && one.raw === one.raw.toUpperCase());
}
