import type { ScopedCache } from '../kernel/ports/scoped-cache.ts';
import { limits } from './limits.ts';

/**
 * Adds to the cost of a conversation in a trial and returns the cost before. Concurrent calls of one conversation may
 * miss each other, which doesn't matter in a sum over many.
 */
export async function addTrialCost(
  scopedCache: ScopedCache,
  conversation: string,
  costNanoUsd: number,
): Promise<number | undefined> {
  const key = `trial cost ${conversation}`;
  const bytes = await scopedCache.get(key);
  const before = bytes === undefined ? undefined : Number(Buffer.from(bytes).toString('latin1'));
  const known = Number.isSafeInteger(before) ? before : undefined;
  const sum = String((known ?? 0) + costNanoUsd);
  await scopedCache.put(key, Buffer.from(sum, 'latin1'), limits.trialKeptSeconds);
  return known;
}
