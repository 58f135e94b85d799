/** A run of items that two lists share, or that only one of them has. */
export interface DiffRun {
  readonly kind: 'same' | 'removed' | 'added';
  readonly items: readonly string[];
}

/** Lists that differ in more places are shown as replaced: the time grows with the square of this. */
const editsMax = 500;

/** The shortest way from one list to another, by Myers' algorithm. */
export function diffLists(before: readonly string[], after: readonly string[]): readonly DiffRun[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  const rest = Math.min(before.length, after.length) - start;
  while (end < rest && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  return joinRuns([
    { kind: 'same', items: before.slice(0, start) },
    ...diffMiddles(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    { kind: 'same', items: before.slice(before.length - end) },
  ]);
}

function diffMiddles(before: readonly string[], after: readonly string[]): readonly DiffRun[] {
  const steps = findSteps(before, after);
  if (steps === undefined)
    return [
      { kind: 'removed', items: before },
      { kind: 'added', items: after },
    ];
  const runs: DiffRun[] = [];
  let [x, y] = [before.length, after.length];
  const walkBack = (toX: number) => {
    for (; x > toX && y > 0; x--, y--) runs.push({ kind: 'same', items: [before[x - 1] ?? ''] });
  };
  for (let edits = steps.length - 1; edits > 0; edits--) {
    const reached = steps[edits] ?? new Map();
    const diagonal = x - y;
    const isAdded = goesDown(reached, diagonal, edits);
    const fromX = at(reached, isAdded ? diagonal + 1 : diagonal - 1);
    walkBack(isAdded ? fromX : fromX + 1);
    if (isAdded) runs.push({ kind: 'added', items: [after[--y] ?? ''] });
    else runs.push({ kind: 'removed', items: [before[--x] ?? ''] });
  }
  walkBack(0);
  return runs.reverse();
}

/** For each number of edits, how far each diagonal came with one edit fewer; undefined if there are too many. */
function findSteps(
  before: readonly string[],
  after: readonly string[],
): readonly ReadonlyMap<number, number>[] | undefined {
  const steps: ReadonlyMap<number, number>[] = [];
  const reached = new Map([[1, 0]]);
  const most = Math.min(before.length + after.length, editsMax);
  for (let edits = 0; edits <= most; edits++) {
    steps.push(new Map(reached));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const isAdded = goesDown(reached, diagonal, edits);
      let x = isAdded ? at(reached, diagonal + 1) : at(reached, diagonal - 1) + 1;
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x++;
      reached.set(diagonal, x);
      if (x >= before.length && x - diagonal >= after.length) return steps;
    }
  }
  return undefined;
}

/** Whether the furthest way to a diagonal ends with an added item. */
function goesDown(reached: ReadonlyMap<number, number>, diagonal: number, edits: number): boolean {
  return diagonal === -edits || (diagonal !== edits && at(reached, diagonal - 1) < at(reached, diagonal + 1));
}

function at(reached: ReadonlyMap<number, number>, diagonal: number): number {
  return reached.get(diagonal) ?? -1;
}

function joinRuns(runs: readonly DiffRun[]): readonly DiffRun[] {
  const joined: { kind: DiffRun['kind']; items: string[] }[] = [];
  for (const { kind, items } of runs) {
    if (items.length === 0) continue;
    const last = joined.at(-1);
    if (last?.kind === kind) last.items.push(...items);
    else joined.push({ kind, items: [...items] });
  }
  return joined;
}

/** Words and the spaces between them. */
export function wordsOf(text: string): readonly string[] {
  return text.split(/(\s+)/).filter((word) => word !== '');
}
