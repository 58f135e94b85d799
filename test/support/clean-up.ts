import type { TestContext } from 'node:test';

const planned = new WeakMap<TestContext, (() => unknown)[]>();

/** Like `t.after`, in the other order: what was started last ends first, and finds what it stands on still there. */
export function cleanUp(t: TestContext, end: () => unknown): void {
  const known = planned.get(t);
  if (known !== undefined) {
    known.push(end);
    return;
  }
  const ends = [end];
  planned.set(t, ends);
  t.after(async () => {
    for (const one of ends.toReversed()) await one();
  });
}
