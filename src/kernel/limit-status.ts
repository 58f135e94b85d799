import type { CallLimits } from './ports/call-rates.ts';

/** What is left of a caller's limits per minute; undefined for those that do not apply. */
export interface LimitStatus {
  readonly requests: MinuteStatus | undefined;
  readonly tokens: MinuteStatus | undefined;
}

export interface MinuteStatus {
  readonly limit: number;
  readonly remaining: number;
  /** When all of it is left again, from now on. */
  readonly resetSeconds: number;
}

/** The lower of both for each limit; undefined if there is none. */
export function strictestLimits(
  one: CallLimits | undefined,
  other: CallLimits | undefined,
): CallLimits | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return {
    requestsPerMinute: lowest(one.requestsPerMinute, other.requestsPerMinute),
    tokensPerMinute: lowest(one.tokensPerMinute, other.tokensPerMinute),
    concurrent: lowest(one.concurrent, other.concurrent),
  };
}

function lowest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}
