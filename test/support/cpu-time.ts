/** Milliseconds of the processor that this process takes for it, all threads together: a busy machine makes nothing of it longer. */
export async function cpuMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Of times that were taken by turns: what others kept waiting is among the longer ones. */
export function lowerQuartile(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[times.length >> 2] ?? Number.NaN;
}
