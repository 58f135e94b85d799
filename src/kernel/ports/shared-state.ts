import type { CallRates } from './call-rates.ts';
import type { Counters } from './counters.ts';
import type { HealthBoard } from './health.ts';

/** State that all replicas share between calls: fast, and rebuilt from the database when it is lost. */
export interface SharedState {
  readonly slots: Slots;
  readonly versions: Versions;
  readonly rateLimiter: RateLimiter;
  readonly health: HealthBoard;
  /** The counts of modules. */
  readonly counters: Counters;
  /** The calls of callers with rate limits. */
  readonly callRates: CallRates;
  /** Resolves when the store responds; rejects after a timeout. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** The quota of one account in one period. */
export interface Allowance {
  readonly accountId: string;
  readonly periodStartMs: number;
  readonly periodEndMs: number;
  /** Calls in the period. */
  readonly limit: number;
  /** Calls that may be given back per minute. */
  readonly givenBackMax: number;
}

/** The slots of an allowance that one process has in flight, and may still give back. */
export interface InFlightCalls {
  readonly processId: string;
  readonly calls: number;
}

/** `version` is the account's, read in the same step. */
export type SlotDecision =
  | { readonly outcome: 'granted'; readonly used: number; readonly version: string }
  /** `held` are the used slots that processes report as in flight. */
  | { readonly outcome: 'full'; readonly used: number; readonly held: number; readonly version: string }
  /** Too many calls were given back in this minute. */
  | { readonly outcome: 'failing'; readonly retryAfterSeconds: number; readonly version: string }
  /** There is no count, or it was lost: `begin` it from the database and take again. */
  | { readonly outcome: 'uncounted'; readonly version: string };

/** Counts calls against an exact cap, even with concurrent counting. */
export interface Slots {
  /** One atomic round trip, or synchronous if none is needed. The requested slot is part of what is in flight. */
  take(allowance: Allowance, inFlightCalls?: InFlightCalls): SlotDecision | Promise<SlotDecision>;
  /** Reports in-flight slots of a process that takes no new ones. Expires after `limits.underWayLifeMs`. */
  reportInFlight(allowance: Allowance, inFlightCalls: InFlightCalls): Promise<void>;
  /** For a call that doesn't count in the end. */
  giveBack(allowance: Allowance): Promise<void>;
  /** For a call that was never made; doesn't count towards the give-back limit. */
  undo(allowance: Allowance): Promise<void>;
  /** Starts a count unless one is running. */
  begin(allowance: Allowance, used: number): Promise<void>;
}

/** Versions of accounts, which validate cached lookups. */
export interface Versions {
  /** Creates a version if there is none. Synchronous where no store has to be queried. */
  of(accountId: string): string | Promise<string>;
  /** Invalidates all earlier lookups, on every replica. */
  renew(accountId: string): Promise<void>;
}

/** Counts attempts in a window that starts with the first. */
export interface RateLimiter {
  /** Seconds to wait; 0 if this attempt is within the limit. */
  count(name: string, limit: { readonly most: number; readonly seconds: number }): Promise<number>;
  forget(name: string): Promise<void>;
}
