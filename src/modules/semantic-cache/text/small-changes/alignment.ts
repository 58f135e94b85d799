import type { Word } from '../reading/words.ts';

/** Two prompts aligned: their common words in order, and the changes between these. */
export interface Alignment {
  readonly common: readonly AlignedWord[];
  readonly changes: readonly Change[];
}

/** A word in both prompts, possibly with different endings. */
export interface AlignedWord {
  readonly old: WordPosition;
  readonly now: WordPosition;
}

/** Replaced, added or removed words. */
export interface Change {
  readonly removed: readonly Word[];
  readonly added: readonly Word[];
  /** The common words right before and after it. */
  readonly before: AlignedWord | undefined;
  readonly after: AlignedWord | undefined;
}

/** A word by its index in a prompt. */
export interface WordPosition {
  readonly words: readonly Word[];
  readonly at: number;
}

export function alignWords(old: readonly Word[], now: readonly Word[]): Alignment {
  const common: AlignedWord[] = [];
  const changes: Change[] = [];
  let [from, fromNow] = [0, 0];
  for (const [at, there] of [...longestCommonSubsequence(old, now), [old.length, now.length] as const]) {
    const [removed, added] = [old.slice(from, at), now.slice(fromNow, there)];
    const isEnd = at === old.length && there === now.length;
    const after = isEnd ? undefined : { old: { words: old, at }, now: { words: now, at: there } };
    if (removed.length + added.length > 0) changes.push({ removed, added, before: common.at(-1), after });
    if (after !== undefined) common.push(after);
    [from, fromNow] = [at + 1, there + 1];
  }
  return { common, changes };
}

export function wordAt({ words, at }: WordPosition): Word | undefined {
  return words[at];
}

/** The index pairs of the longest common subsequence, by stem. */
function longestCommonSubsequence(
  one: readonly Word[],
  other: readonly Word[],
): readonly (readonly [number, number])[] {
  const width = other.length + 1;
  const lengths = new Uint16Array((one.length + 1) * width);
  const length = (at: number, there: number) => lengths[at * width + there] ?? 0;
  for (let at = one.length - 1; at >= 0; at--)
    for (let there = other.length - 1; there >= 0; there--)
      lengths[at * width + there] =
        one[at]?.stem === other[there]?.stem
          ? length(at + 1, there + 1) + 1
          : Math.max(length(at + 1, there), length(at, there + 1));
  const found: (readonly [number, number])[] = [];
  for (let [at, there] = [0, 0]; at < one.length && there < other.length; ) {
    if (one[at]?.stem === other[there]?.stem) found.push([at++, there++]);
    else if (length(at + 1, there) >= length(at, there + 1)) at++;
    else there++;
  }
  return found;
}
