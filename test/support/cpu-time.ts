import assert from 'node:assert/strict';

/** Milliseconds of the processor that this process takes for it, all threads together: a busy machine makes nothing of it longer. */
export async function cpuMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/**
 * Checks a bound of CPU time of this thread. What is above it is tried again, twice: a collection of the garbage of other
 * tests falls into one of the tries.
 */
export async function assertCpuBelow(msMax: number, work: () => unknown): Promise<void> {
  const tries: number[] = [];
  do {
    const before = process.threadCpuUsage();
    await work();
    const { user, system } = process.threadCpuUsage(before);
    tries.push((user + system) / 1000);
  } while (tries.length < 3 && Math.min(...tries) >= msMax);
  assert.ok(Math.min(...tries) < msMax, `${tries.join(', ')} ms of CPU in place of ${msMax}`);
}

/** Of times that were taken by turns: what others kept waiting is among the longer ones. */
export function lowerQuartile(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[times.length >> 2] ?? Number.NaN;
}
