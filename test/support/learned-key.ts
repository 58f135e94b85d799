import { dayMs, quarterMs } from '../../src/alerts/anomalies/activity.ts';
import type { PastDay } from '../../src/alerts/anomalies/day-plan.ts';
import { beginDay, finishQuarter, newKeyState } from '../../src/alerts/anomalies/key-state.ts';
import { look } from '../../src/alerts/anomalies/key-watch.ts';
import type { KeyActivity } from '../../src/kernel/ports/key-activity.ts';

/** Calls of a key that does the same all day. */
export const steadyQuarter: KeyActivity = {
  calls: 120,
  failed: 2,
  cached: 0,
  promptTokens: 2040,
  cacheReadTokens: 360,
  costNanoUsd: 1_200_000_000,
};

/** What is known of such a key after four weeks. */
export function learnedKey(untilMs: number) {
  const startMs = Math.floor(untilMs / dayMs - 28) * dayMs;
  const state = newKeyState(startMs);
  let past: readonly PastDay[] = [];
  const tenMinutes = scaled(steadyQuarter, 2 / 3);
  for (let atMs = startMs; atMs < untilMs; atMs += quarterMs) {
    past = beginDay(state, past, atMs);
    finishQuarter(state, atMs, steadyQuarter);
    look(state, [tenMinutes, tenMinutes], atMs + quarterMs);
  }
  return { state, past };
}

export function scaled(activity: KeyActivity, factor: number): KeyActivity {
  return {
    calls: activity.calls * factor,
    failed: activity.failed * factor,
    cached: activity.cached * factor,
    promptTokens: activity.promptTokens * factor,
    cacheReadTokens: activity.cacheReadTokens * factor,
    costNanoUsd: activity.costNanoUsd * factor,
  };
}
