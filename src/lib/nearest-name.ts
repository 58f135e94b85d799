/** The known name that a misspelt one most likely means; undefined if none is close. */
export function nearestName(written: string, known: Iterable<string>): string | undefined {
  const mostEdits = Math.min(3, Math.floor(written.length / 3));
  let nearest: string | undefined;
  let fewest = mostEdits + 1;
  for (const name of known) {
    if (Math.abs(name.length - written.length) >= fewest) continue;
    const edits = editsBetween(written, name);
    if (edits < fewest) [nearest, fewest] = [name, edits];
  }
  return nearest;
}

/** Letters to add, leave out or replace, and neighbours to swap. */
function editsBetween(one: string, other: string): number {
  let before: readonly number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current.push(
        Math.min(
          (current[column - 1] ?? 0) + 1,
          (last[column] ?? 0) + 1,
          (last[column - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    [before, last] = [last, current];
  }
  return last[other.length] ?? 0;
}
