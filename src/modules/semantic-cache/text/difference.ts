import type { ParsedPrompt } from './reading/prompt.ts';
import type { Word } from './reading/words.ts';

/** What one prompt has and the other lacks, of words that say something and of those that don't. */
export interface Difference {
  readonly onlyOld: readonly Word[];
  readonly onlyNew: readonly Word[];
  readonly restOld: readonly Word[];
  readonly restNew: readonly Word[];
  /** How much of the larger of the two is in both, from 0 to 1, of words that say something. */
  readonly shared: number;
}

export function differenceOf(old: ParsedPrompt, now: ParsedPrompt): Difference {
  const restOld = wordsLackingIn(old.words, now);
  const restNew = wordsLackingIn(now.words, old);
  const onlyOld = restOld.filter((word) => word.isContent);
  const onlyNew = restNew.filter((word) => word.isContent);
  const size = Math.max(old.content.length, now.content.length);
  const most = Math.max(onlyOld.length, onlyNew.length);
  return { onlyOld, onlyNew, restOld, restNew, shared: size === 0 ? 0 : 1 - most / size };
}

/** Each word of `words` that the other hasn't as often. */
function wordsLackingIn(words: readonly Word[], other: ParsedPrompt): Word[] {
  const left = new Map<string, number>();
  for (const { stem } of other.words) left.set(stem, (left.get(stem) ?? 0) + 1);
  return words.filter(({ stem, text, isContent }) => {
    const count = left.get(stem) ?? 0;
    left.set(stem, count - 1);
    if (count > 0) return false;
    // Twice the same word says no more than once, and some are written together elsewhere.
    return !(other.vocabulary.has(stem) || other.vocabulary.has(text)) || (isContent && isNumeral(text));
  });
}

function isNumeral(text: string): boolean {
  return /^\d/.test(text);
}
