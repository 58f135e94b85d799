import type { KeyActivity } from '../../kernel/ports/key-activity.ts';

/** What is compared with the past of a key. */
export const measures = ['spend', 'errors', 'cache_hits', 'prompt_cache'] as const;
export type Measure = (typeof measures)[number];
export type Share = Exclude<Measure, 'spend'>;

/** Values by measure; a measure that has none is missing. */
export type ByMeasure<Value> = { [measure in Measure]?: Value };

const minuteMs = 60_000;
export const quarterMs = 15 * minuteMs;
export const dayMs = 96 * quarterMs;
/** Quarters of an hour in a day. */
export const quartersPerDay = 96;

export function addActivity(one: KeyActivity, other: KeyActivity): KeyActivity {
  return {
    calls: one.calls + other.calls,
    failed: one.failed + other.failed,
    cached: one.cached + other.cached,
    promptTokens: one.promptTokens + other.promptTokens,
    cacheReadTokens: one.cacheReadTokens + other.cacheReadTokens,
    costNanoUsd: one.costNanoUsd + other.costNanoUsd,
  };
}

export const noActivity: KeyActivity = {
  calls: 0,
  failed: 0,
  cached: 0,
  promptTokens: 0,
  cacheReadTokens: 0,
  costNanoUsd: 0,
};

/** The calls among which a share is, and how many of them count. Tokens count as the calls that they are a part of. */
export function sharePartsOf(
  share: Share,
  { calls, failed, cached, promptTokens, cacheReadTokens }: KeyActivity,
) {
  switch (share) {
    case 'errors':
      return { calls, hits: failed };
    case 'cache_hits':
      return { calls: calls - failed, hits: cached };
    case 'prompt_cache': {
      const sent = Math.max(0, calls - failed - cached);
      return promptTokens === 0
        ? { calls: 0, hits: 0 }
        : { calls: sent, hits: (sent * cacheReadTokens) / promptTokens };
    }
  }
}
