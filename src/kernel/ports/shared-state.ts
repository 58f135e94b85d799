/** What all replicas agree on from one call to the next: fast, and rebuilt from the database when it is lost. */
export interface SharedState {
  readonly slots: Slots;
  readonly versions: Versions;
  readonly rateLimiter: RateLimiter;
  /** Resolves when the store answers, rejects when it doesn't within a bounded time. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** One account's calls in one period. */
export interface Allowance {
  readonly accountId: string;
  readonly periodStartMs: number;
  readonly periodEndMs: number;
  /** Calls in the period. */
  readonly limit: number;
  /** Calls that may be given back in a minute. */
  readonly givenBackMax: number;
}

/** What one process has under way of an allowance: slots that may still be given back. */
export interface InFlightCalls {
  readonly processId: string;
  readonly calls: number;
}

/** `version` is the account's, read in the same step. */
export type SlotDecision =
  | { readonly outcome: 'granted'; readonly used: number; readonly version: string }
  /** `held` are those of the used slots that processes say they have under way. */
  | { readonly outcome: 'full'; readonly used: number; readonly held: number; readonly version: string }
  /** Too many calls were given back in this minute. */
  | { readonly outcome: 'failing'; readonly retryAfterSeconds: number; readonly version: string }
  /** Nobody has counted yet, or the count was lost: `begin` it from the database and take again. */
  | { readonly outcome: 'uncounted'; readonly version: string };

/** Counts calls against a cap that holds exactly, whoever else is counting. */
export interface Slots {
  /** One step, one round trip; at once where there is none to make. The slot that is asked for is part of what is under way. */
  take(allowance: Allowance, inFlightCalls?: InFlightCalls): SlotDecision | Promise<SlotDecision>;
  /** What a process has under way where it takes nothing for a while. It is forgotten after `limits.underWayLifeMs`. */
  reportInFlight(allowance: Allowance, inFlightCalls: InFlightCalls): Promise<void>;
  /** For a call that doesn't count after all. */
  giveBack(allowance: Allowance): Promise<void>;
  /** For a call that was never made: it is none of those that were given back. */
  undo(allowance: Allowance): Promise<void>;
  /** Starts a count unless one is running. */
  begin(allowance: Allowance, used: number): Promise<void>;
}

/** Names the state that an account's cached lookups were made from. */
export interface Versions {
  /** Makes one up where there is none. At once where nobody has to be asked. */
  of(accountId: string): string | Promise<string>;
  /** From now on whatever was looked up before is out of date, on every replica. */
  renew(accountId: string): Promise<void>;
}

/** Counts tries in a window that begins with the first. */
export interface RateLimiter {
  /** Seconds to wait; 0 where this try is within the limit. */
  count(name: string, limit: { readonly most: number; readonly seconds: number }): Promise<number>;
  forget(name: string): Promise<void>;
}
