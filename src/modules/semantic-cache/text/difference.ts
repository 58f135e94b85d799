import type { ParsedPrompt } from './reading/prompt.ts';
import type { Word } from './reading/words.ts';

/** The words that only one of two prompts has: content words (`only…`) and all words (`rest…`). */
export interface Difference {
  readonly onlyOld: readonly Word[];
  readonly onlyNew: readonly Word[];
  readonly restOld: readonly Word[];
  readonly restNew: readonly Word[];
  /** The share of content words in both prompts, relative to the larger one, from 0 to 1. */
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

/** The words that the other prompt lacks; a number also if it occurs there less often. */
function wordsLackingIn(words: readonly Word[], other: ParsedPrompt): Word[] {
  const left = new Map<string, number>();
  for (const { stem } of other.words) left.set(stem, (left.get(stem) ?? 0) + 1);
  return words.filter(({ stem, text, isContent }) => {
    const count = left.get(stem) ?? 0;
    left.set(stem, count - 1);
    if (count > 0) return false;
    // A repeated word adds nothing; and the other prompt may write two words as one.
    return !(other.vocabulary.has(stem) || other.vocabulary.has(text)) || (isContent && isNumeral(text));
  });
}

function isNumeral(text: string): boolean {
  return /^\d/.test(text);
}
