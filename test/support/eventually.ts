import { setTimeout as sleep } from 'node:timers/promises';

/** Far more than anything here takes, also on a busy machine. */
const waitMsMax = 60_000;

/** Looks again and again until there is something to see. */
export async function eventually<Value>(
  look: () => Value | undefined | Promise<Value | undefined>,
): Promise<Value> {
  const until = performance.now() + waitMsMax;
  // Each time a little later: looking takes CPU time, which is then missing elsewhere.
  for (let pauseMs = 5; ; pauseMs = Math.min(1.3 * pauseMs, 100)) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > until) throw new Error(`nothing came of it in ${waitMsMax} ms: ${look}`);
    await sleep(pauseMs);
  }
}
