import type { UsageSums } from './ports/records.ts';

export const zeroSums: UsageSums = {
  requests: 0,
  failed: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costNanoUsd: 0,
};

/** The first row with the sums of both. */
export function addUsageSums<Row extends UsageSums>(one: Row, other: UsageSums): Row {
  return {
    ...one,
    requests: one.requests + other.requests,
    failed: one.failed + other.failed,
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cacheReadTokens: one.cacheReadTokens + other.cacheReadTokens,
    cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
    costNanoUsd: one.costNanoUsd + other.costNanoUsd,
  };
}
