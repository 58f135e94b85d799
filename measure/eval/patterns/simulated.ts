import type { Pattern } from '../../../src/modules/patterns/pattern.ts';
import { applyVerdict } from '../../../src/modules/patterns/store/pattern-changes.ts';
import { holdoutShareOf } from '../../../src/modules/patterns/store/pattern-effect.ts';

/** How often conversations go well. */
export interface Effect {
  readonly without: number;
  readonly with: number;
}

interface Simulation {
  readonly conversations: number;
  readonly seed: number;
  readonly holdOut?: number;
}

/** A pattern of a known effect in one conversation after the other, until it is retired. */
export function simulated(effect: Effect, { conversations, seed, holdOut = 0.1 }: Simulation) {
  const random = seeded(seed);
  let pattern = planted;
  for (let at = 1; at <= conversations; at++) {
    const isHeldOut = random() < holdoutShareOf(pattern, holdOut);
    const isGood = random() < (isHeldOut ? effect.without : effect.with);
    const now = { good: isGood ? 1 : 0, bad: isGood ? 0 : 1 };
    const trial = { patternId: pattern.id, isHeldOut, before: { good: 0, bad: 0 }, now };
    pattern = applyVerdict(pattern, trial, { conversation: `c${at}`, atMs: at });
    if (pattern.state === 'retired') return { retiredAt: at, pattern };
  }
  return { retiredAt: undefined, pattern };
}

const planted: Pattern = {
  id: 'pat_1',
  trigger: { text: '', tools: [], models: [] },
  advice: '',
  state: 'active',
  origin: 'person',
  scope: null,
  fingerprint: '',
  wins: 0,
  losses: 0,
  without: { wins: 0, losses: 0 },
  evidence: [],
  seenIn: [],
  wonIn: [],
  story: [],
  createdAtMs: 0,
  updatedAtMs: 0,
};

/** The same numbers from 0 to 1 for the same seed. */
export function seeded(seed: number): () => number {
  let state = (seed + 1) * 0x9e3779b9;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
