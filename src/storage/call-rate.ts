import type { MinuteCount, RateDecision, RatedCall, RateSettlement } from '../kernel/ports/call-rates.ts';

/** The calls of one caller within a minute and in flight: plain data, in memory or in a shared document. */
export interface CallRate {
  readonly requests: AmountsBySecond;
  readonly tokens: AmountsBySecond;
  /** When the slot of each call in flight expires, by call. */
  readonly inFlight: Record<string, number>;
}

/** By second of the clock. JavaScript lists such names in ascending order. */
type AmountsBySecond = Record<string, number>;

export const minuteSeconds = 60;

export function createCallRate(): CallRate {
  return { requests: {}, tokens: {}, inFlight: {} };
}

/** Counts a call against all of its limits, or against none. */
export function takeCall(rate: CallRate, call: RatedCall, nowMs: number): RateDecision {
  const { limits, tokens: expected } = call;
  const second = Math.floor(nowMs / 1000);
  deleteExpired(rate, nowMs);
  const requests = minuteCount(rate.requests, limits.requestsPerMinute, 1, nowMs);
  const tokens = minuteCount(rate.tokens, limits.tokensPerMinute, expected, nowMs);
  const concurrent = limits.concurrent === undefined ? undefined : Object.keys(rate.inFlight).length;
  const isAllowed =
    (requests?.waitMs ?? 0) === 0 &&
    (tokens?.waitMs ?? 0) === 0 &&
    (concurrent ?? 0) < (limits.concurrent ?? Number.POSITIVE_INFINITY);
  if (!isAllowed) return { isAllowed, second, requests, tokens, concurrent };
  if (requests !== undefined) add(rate.requests, second, 1);
  if (tokens !== undefined) add(rate.tokens, second, expected);
  if (concurrent !== undefined) rate.inFlight[call.id] = nowMs + call.lifeMs;
  return {
    isAllowed,
    second,
    requests: minuteCount(rate.requests, limits.requestsPerMinute, 0, nowMs),
    tokens: minuteCount(rate.tokens, limits.tokensPerMinute, 0, nowMs),
    concurrent: concurrent === undefined ? undefined : concurrent + 1,
  };
}

export function renewCall(
  rate: CallRate,
  { id, lifeMs }: Pick<RatedCall, 'id' | 'lifeMs'>,
  nowMs: number,
): void {
  rate.inFlight[id] = nowMs + lifeMs;
}

export function settleCall(rate: CallRate, { id, second, change }: RateSettlement, nowMs: number): void {
  delete rate.inFlight[id];
  deleteExpired(rate, nowMs);
  if (change > 0) add(rate.tokens, Math.floor(nowMs / 1000), change);
  else if (rate.tokens[second] !== undefined) add(rate.tokens, second, change);
}

/** When nothing of it counts any more. */
export function expiryOf(rate: CallRate): number {
  return Math.max(
    0,
    ...[rate.requests, rate.tokens].flatMap((amounts) => Object.keys(amounts).map((second) => endMs(second))),
    ...Object.values(rate.inFlight),
  );
}

function minuteCount(
  amounts: AmountsBySecond,
  limit: number | undefined,
  amount: number,
  nowMs: number,
): MinuteCount | undefined {
  if (limit === undefined) return undefined;
  const entries = Object.entries(amounts);
  const count = entries.reduce((sum, [, used]) => sum + used, 0);
  const [newest] = entries.at(-1) ?? [];
  const resetMs = newest === undefined ? 0 : endMs(newest) - nowMs;
  let waitMs = 0;
  let left = count;
  for (const [second, used] of entries) {
    if (left + amount <= limit) break;
    left -= used;
    waitMs = endMs(second) - nowMs;
  }
  // An amount above the limit never fits.
  return { count, waitMs: left + amount <= limit ? waitMs : Math.max(waitMs, minuteSeconds * 1000), resetMs };
}

function add(amounts: AmountsBySecond, second: number, amount: number): void {
  const sum = Math.max(0, (amounts[second] ?? 0) + amount);
  if (sum === 0) delete amounts[second];
  else amounts[second] = sum;
}

/** When a second leaves the minute. */
function endMs(second: string): number {
  return (Number(second) + minuteSeconds) * 1000;
}

function deleteExpired({ requests, tokens, inFlight }: CallRate, nowMs: number): void {
  for (const amounts of [requests, tokens])
    for (const second in amounts) {
      if (endMs(second) > nowMs) break;
      delete amounts[second];
    }
  for (const id in inFlight) if ((inFlight[id] ?? 0) <= nowMs) delete inFlight[id];
}
