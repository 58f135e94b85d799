import type { RateCard } from '../../module-api.ts';
import type { Continuation, ConversationSoFar } from './traffic.ts';
import { expectedCount } from './traffic.ts';

/** Prices as shares of the input price. */
export interface CachePrices {
  readonly read: number;
  readonly write: number;
  readonly writeHour: number;
}

/** Undefined if the cache saves nothing. */
export function cachePricesOf({
  input,
  cacheRead,
  cacheWrite,
  cacheWriteHour,
}: RateCard): CachePrices | undefined {
  if (input <= 0 || cacheRead >= input) return undefined;
  return { read: cacheRead / input, write: cacheWrite / input, writeHour: cacheWriteHour / input };
}

/** Whether a token that is written now is read often enough: each read saves `1 - read`, the write costs `write - 1` more. */
export function paysToWrite(expectedReads: number, write: number, { read }: CachePrices): boolean {
  return expectedReads * (1 - read) > write - 1;
}

/**
 * Whether an hour pays for a conversation whose whole prefix P is written now, and of which each further call adds D = P / calls.
 * Each of the expected calls n comes after a long pause with the chance b: five minutes then write P again, an hour reads it. Both
 * write it again after a longer pause, with the chance m, an hour at its price. So it pays if
 * `n (b (write - read) - m (writeHour - write)) P > (P + n D) (writeHour - write)`.
 */
export function paysForAnHour(
  { pauses, short, long }: ConversationSoFar,
  continuation: Continuation,
  { read, write, writeHour }: CachePrices,
): boolean {
  const calls = expectedCount(continuation.short + continuation.long);
  const longer = (pauses - short - long) / (pauses + 1);
  const extra = writeHour - write;
  const saved = calls * (continuation.long * (write - read) - longer * extra);
  return saved > (1 + calls / (pauses + 1)) * extra;
}
