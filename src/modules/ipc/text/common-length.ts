/** The length to which the longest texts must be cut, so that all of them together have at most `charsMax` characters. */
export function commonLengthMax(lengths: readonly number[], charsMax: number): number {
  if (lengths.reduce((sum, length) => sum + length, 0) <= charsMax) return Number.POSITIVE_INFINITY;
  let left = charsMax;
  let waiting = lengths.length;
  for (const length of [...lengths].sort((one, other) => one - other)) {
    if (length > left / waiting) break;
    left -= length;
    waiting--;
  }
  return left / waiting;
}
