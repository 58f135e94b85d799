import { setImmediate as nextTurn } from 'node:timers/promises';

/** True where it is over before anything else can happen; undefined where it had to wait, when that is over too. */
export async function settlesAtOnce(work: Promise<unknown>): Promise<true | undefined> {
  let over = false;
  const settled = work.finally(() => {
    over = true;
  });
  settled.catch(() => undefined);
  await nextTurn();
  if (over) return true;
  await settled.catch(() => undefined);
  return undefined;
}
