import type { KeyActivity } from '../../kernel/ports/key-activity.ts';
import { type ByMeasure, dayMs, quarterMs, quartersPerDay, type Share, sharePartsOf } from './activity.ts';
import { type DayPlan, daysKept, type PastDay, planDay, planMargin } from './day-plan.ts';
import { spendCode } from './spend-code.ts';

/** A measure that is far from what is expected. */
export interface Incident {
  /** When it was noticed. */
  readonly startedMs: number;
  /** When it began, as far as is known. */
  sinceMs: number;
  /** How far it may be. */
  readonly bound: number;
  /** When it was last far from what is expected. */
  lastMs: number;
  /** The largest ratio so far. */
  worst: number;
}

interface Sums {
  hits: number;
  calls: number;
}

/** What is known of a key: plain data, to be stored. */
export interface KeyState {
  day: number;
  /** The first day with calls. */
  readonly sinceDay: number;
  /** Until when quarters are learned. */
  learnedMs: number;
  /** What the quarters of today cost, as codes. */
  spend: number[];
  plan: DayPlan;
  maxima: ByMeasure<number>;
  /** Ratios to what was expected in the latest quarters, the newest last. */
  ratios: number[];
  /** Sums that forget slowly and quickly, for shares. */
  levels: { [share in Share]: { slow: Sums; fast: Sums } };
  cost: { nanoUsd: number; calls: number };
  incidents: ByMeasure<Incident>;
  /** When the last incident ended. */
  ended: ByMeasure<{ readonly atMs: number; readonly worst: number }>;
}

/** The slow memory of shares halves in two days, the fast one in an hour. */
const slowQuarters = 192;
const fastQuarters = 4;
/** Two hours. */
const ratiosKept = 8;
/** Spending of this many calls is added to both sides of a ratio: few calls make no large one. */
export const callsAtRest = 12;

export function newKeyState(atMs: number): KeyState {
  const day = Math.floor(atMs / dayMs);
  return {
    day,
    sinceDay: day,
    learnedMs: 0,
    spend: [],
    plan: { spend: undefined, bounds: {} },
    maxima: {},
    ratios: [],
    levels: {
      errors: { slow: { hits: 0, calls: 0 }, fast: { hits: 0, calls: 0 } },
      cache_hits: { slow: { hits: 0, calls: 0 }, fast: { hits: 0, calls: 0 } },
      prompt_cache: { slow: { hits: 0, calls: 0 }, fast: { hits: 0, calls: 0 } },
    },
    cost: { nanoUsd: 0, calls: 0 },
    incidents: {},
    ended: {},
  };
}

/** Moves the day that ended to the past, and plans the new one. */
export function beginDay(state: KeyState, past: readonly PastDay[], atMs: number): readonly PastDay[] {
  const day = Math.floor(atMs / dayMs);
  if (day <= state.day) return past;
  const ended: PastDay = { day: state.day, spend: padded(state.spend), maxima: state.maxima };
  const kept = [...past, ended].filter((one) => one.day >= day - daysKept);
  state.day = day;
  state.spend = [];
  state.maxima = {};
  state.plan = planDay(day, kept, state.sinceDay);
  return kept;
}

/** Whether the plan of the state is for an earlier day. */
export function isOutdated(state: KeyState, endMs: number): boolean {
  return endMs > (state.day + 1) * dayMs + planMargin * quarterMs;
}

/** Learns a quarter of an hour that is over. */
export function finishQuarter(state: KeyState, startMs: number, activity: KeyActivity): void {
  const at = Math.floor((startMs - state.day * dayMs) / quarterMs);
  if (at < 0 || at >= quartersPerDay || startMs < state.learnedMs) return;
  state.learnedMs = startMs + quarterMs;
  while (state.spend.length < at) state.spend.push(0);
  state.spend[at] = spendCode(activity.costNanoUsd);
  const keep = 0.5 ** (1 / slowQuarters);
  for (const [share, level] of shareLevels(state)) {
    const isLearned = isOpenForLearning(state, share, startMs);
    const { calls, hits } = sharePartsOf(share, activity);
    if (calls === 0 || !isLearned) continue;
    forgetAndAdd(level.slow, keep, { calls, hits });
    forgetAndAdd(level.fast, 0.5 ** (1 / fastQuarters), { calls, hits });
  }
  const expected = state.plan.spend?.[at + planMargin] ?? 0;
  if (expected > 0 && state.incidents.spend === undefined) {
    const rest = (callsAtRest * state.cost.nanoUsd) / Math.max(1, state.cost.calls);
    state.ratios.push((activity.costNanoUsd + rest) / (expected + rest));
    if (state.ratios.length > ratiosKept) state.ratios.shift();
  }
  if (activity.calls > 0) {
    state.cost.calls = state.cost.calls * keep + activity.calls;
    state.cost.nanoUsd = state.cost.nanoUsd * keep + activity.costNanoUsd;
  }
}

function forgetAndAdd(sums: Sums, keep: number, { hits, calls }: Sums): void {
  sums.calls = sums.calls * keep + calls;
  sums.hits = sums.hits * keep + hits;
}

function isOpenForLearning(state: KeyState, share: Share, atMs: number): boolean {
  const incident = state.incidents[share];
  return incident === undefined || atMs - incident.startedMs > dayMs;
}

function shareLevels(state: KeyState) {
  return (['errors', 'cache_hits', 'prompt_cache'] as const).map(
    (share) => [share, state.levels[share]] as const,
  );
}

function padded(codes: readonly number[]): readonly number[] {
  return Array.from({ length: quartersPerDay }, (_, at) => codes[at] ?? 0);
}
