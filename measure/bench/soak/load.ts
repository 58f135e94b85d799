import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'undici';
import { send } from '../send.ts';
import { type Dice, type SoakKind, soakKinds } from './kinds.ts';
import { halt, soakPlan } from './messages.ts';

/** The load of a soak: a process whose callers make calls of all kinds, with pauses, until they are told to stop. */
const pauseMsMax = 60;
const surprisesMax = 5;
const counts = { calls: 0, surprising: 0 };
const surprises: string[] = [];
let halted = false;
let callers: Promise<unknown> = Promise.resolve();

process.on('message', async (message: unknown) => {
  const plan = soakPlan.safeParse(message).data;
  if (plan !== undefined) {
    const pool = new Pool(plan.origin, { connections: plan.callers.length });
    callers = Promise.all(plan.callers.map((keys, index) => caller(pool, soakKinds(keys), diceOf(index))));
    report();
  } else if (halt.safeParse(message).success) {
    halted = true;
    await callers;
    report();
  }
});
process.send?.({ kind: 'ready', port: 0 });

function report(): void {
  process.send?.({ kind: 'traffic', ...counts, surprises });
}

async function caller(pool: Pool, kinds: readonly SoakKind[], dice: Dice): Promise<void> {
  while (!halted) {
    const kind = chosen(kinds, dice());
    const { status, failure } = await send(pool, kind.make(dice));
    counts.calls += 1;
    if (kind.status !== 0 && status !== kind.status) {
      counts.surprising += 1;
      if (surprises.length < surprisesMax) surprises.push(`${kind.name}: ${failure ?? status}`);
    }
    await wait(dice() * pauseMsMax);
  }
}

function chosen(kinds: readonly SoakKind[], number: number): SoakKind {
  let left = number * kinds.reduce((sum, { weight }) => sum + weight, 0);
  for (const kind of kinds) {
    left -= kind.weight;
    if (left < 0) return kind;
  }
  throw new Error('dice show less than 1');
}

/** The same numbers in every soak, different ones for every caller. */
function diceOf(seed: number): Dice {
  let state = seed + 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
