/** Says how long a step took. */
export async function timed<Result>(step: string, work: () => Promise<Result>): Promise<Result> {
  const startedAt = performance.now();
  const result = await work();
  console.log(`ok   ${step} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
  return result;
}
