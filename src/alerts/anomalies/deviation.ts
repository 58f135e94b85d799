import type { KeyActivity } from '../../kernel/ports/key-activity.ts';
import { dayMs, type Measure, quarterMs, sharePartsOf } from './activity.ts';
import { medianOf, planMargin } from './day-plan.ts';
import { callsAtRest, type KeyState } from './key-state.ts';

/** The time that is compared with the past. */
export const windowMs = 20 * 60_000;

/** Calls in a window, and in all that is remembered, below which nothing is said. */
const callsMin = 20;
const learnedCallsMin = 200;
/** Smaller things are not worth an alert. */
const spendMinNanoUsd = 50_000_000;
const failedMin = 10;
const errorShareMin = 0.02;
const hitsMin = 10;
const cacheShareMin = 0.05;
/** Added to both sides of a ratio. */
const hitsAtRest = { errors: 4, cache_hits: 6, prompt_cache: 6 } as const;
/** As many calls of the latest hour count as little as the days before. */
const fastRest = 40;
/** Days that begin with less than usual, such as holidays, may be over at noon. */
const levelMin = 0.7;

export interface Deviation {
  /** On a logarithmic scale, smaller where there are few calls. */
  readonly distance: number;
  readonly ratio: number;
  /** Whether it is large enough to matter. */
  readonly isLarge: boolean;
  readonly value: number;
  readonly expected: number;
}

/** How far a measure is from what is expected; undefined if nothing can be told. */
export function deviationOf(
  state: KeyState,
  measure: Measure,
  activity: KeyActivity,
  fromMs: number,
  ms: number,
): Deviation | undefined {
  if (measure === 'spend') return spendDeviation(state, activity, fromMs, ms);
  const { calls, hits } = sharePartsOf(measure, activity);
  const level = state.levels[measure];
  const part = ms / windowMs;
  const { slow, fast } = level;
  if (calls < callsMin * part || slow.calls < learnedCallsMin) return undefined;
  const usual = slow.hits / slow.calls;
  const recent = (fast.hits + fastRest * usual) / (fast.calls + fastRest);
  const share = measure === 'errors' ? Math.max(usual, recent) : Math.min(usual, recent);
  const expected = calls * share;
  const rest = hitsAtRest[measure] * part;
  if (measure === 'errors') {
    return {
      distance: Math.log((hits + rest) / (expected + rest)),
      ratio: hits / Math.max(expected, 0.5),
      isLarge: hits >= failedMin && hits >= errorShareMin * calls,
      value: hits / calls,
      expected: share,
    };
  }
  return {
    distance: Math.log((expected + rest) / (hits + rest)),
    ratio: expected / Math.max(hits, 0.5),
    isLarge: expected >= hitsMin && share >= cacheShareMin,
    value: hits / calls,
    expected: share,
  };
}

function spendDeviation(
  state: KeyState,
  { calls, costNanoUsd }: KeyActivity,
  fromMs: number,
  ms: number,
): Deviation | undefined {
  const { spend } = state.plan;
  if (spend === undefined || state.cost.calls < learnedCallsMin) return undefined;
  let expected = 0;
  const slice = 5 * 60_000;
  for (let at = fromMs; at < fromMs + ms; at += slice) {
    const quarter = Math.floor((at - state.day * dayMs) / quarterMs) + planMargin;
    expected += ((spend[quarter] ?? 0) * slice) / quarterMs;
  }
  if (expected === 0) return undefined;
  expected *= levelOf(state);
  const part = ms / windowMs;
  const rest = (callsAtRest * part * state.cost.nanoUsd) / state.cost.calls;
  return {
    distance: Math.log((costNanoUsd + rest) / (expected + rest)),
    ratio: costNanoUsd / expected,
    isLarge: calls >= callsMin && costNanoUsd - expected >= spendMinNanoUsd,
    value: costNanoUsd,
    expected,
  };
}

/** How much more is spent today than expected, so far. */
function levelOf({ ratios }: KeyState): number {
  return Math.max(levelMin, ratios.length < 4 ? 1 : medianOf(ratios));
}
