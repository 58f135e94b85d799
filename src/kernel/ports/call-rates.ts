import type { CounterName } from './counters.ts';

/** Limits on the calls of a caller; one that is undefined does not apply. */
export interface CallLimits {
  readonly requestsPerMinute?: number | undefined;
  readonly tokensPerMinute?: number | undefined;
  /** Calls in flight. */
  readonly concurrent?: number | undefined;
}

/**
 * Counts the calls of callers against their limits, shared by all replicas. A minute is the current second of the clock
 * and the 59 before it: no 60 seconds in a row have more than the limit. Lost counts start anew.
 */
export interface CallRates {
  /** Counts a call against all of its limits in one atomic step, or against none if one of them is reached. */
  take(caller: CounterName, call: RatedCall): Promise<RateDecision>;
  /** Renews the slot of a call in flight. */
  renew(caller: CounterName, call: SlotLease): Promise<void>;
  /** Ends a call: releases its slot and corrects its tokens. */
  settle(caller: CounterName, settlement: RateSettlement): Promise<void>;
}

/** The slot of a call in flight, which is free after `lifeMs` unless it is renewed. */
interface SlotLease {
  readonly id: string;
  readonly lifeMs: number;
}

export interface RatedCall extends SlotLease {
  readonly limits: CallLimits;
  /** The tokens that the call is expected to use. */
  readonly tokens: number;
}

/** The figures of limits that do not apply are undefined. */
export interface RateDecision {
  readonly isAllowed: boolean;
  /** The second that the call counts in. */
  readonly second: number;
  readonly requests: MinuteCount | undefined;
  readonly tokens: MinuteCount | undefined;
  /** Calls in flight, with this one if it is allowed. */
  readonly concurrent: number | undefined;
}

/** One minute's count, with this call if it is allowed. */
export interface MinuteCount {
  readonly count: number;
  /** How long until the refused call fits, if no other comes before it; 0 if it fits. */
  readonly waitMs: number;
  /** How long until the count is 0. */
  readonly resetMs: number;
}

export interface RateSettlement {
  readonly id: string;
  /** The second that the call was counted in. */
  readonly second: number;
  /** Used minus expected tokens: what was not used no longer counts; what was used beyond counts as of now. */
  readonly change: number;
}
