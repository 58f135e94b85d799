/** What stands in front of a position. */
export const before = { other: 0, textStart: 1, lineEnd: 2, word: 3 } as const;
export type Before = (typeof before)[keyof typeof before];
export const allBefore: readonly Before[] = Object.values(before);

export const newline = 10;

export function beforeAfter(rune: number | undefined): Before {
  if (rune === newline) return before.lineEnd;
  return rune !== undefined && isWord(rune) ? before.word : before.other;
}

/** RE2 knows ASCII words only. */
export function isWord(rune: number): boolean {
  return (
    (rune >= 97 && rune <= 122) || (rune >= 65 && rune <= 90) || (rune >= 48 && rune <= 57) || rune === 95
  );
}
