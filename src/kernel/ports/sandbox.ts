/** An anonymous session. */
export interface AnonSession {
  readonly id: string;
  /** The session's pseudonym in receipts: its id could claim them. */
  readonly sessionRef: string;
  readonly requestLimit: number;
  readonly requestsUsed: number;
  readonly expiresAtMs: number;
  readonly revokedAtMs: number | null;
}

/** Token and client address are stored as keyed hashes only. */
export interface NewAnonSession extends AnonSession {
  readonly tokenHash: string;
  readonly addressHash: string;
}

export interface AnonSessions {
  /** Also deletes those that expired before `forgetBeforeMs`. */
  add(session: NewAnonSession, forgetBeforeMs: number): Promise<void>;
  /** Finds the session whose token has one of these hashes. */
  byToken(tokenHashes: readonly string[]): Promise<AnonSession | undefined>;
  byId(id: string): Promise<AnonSession | undefined>;
  /** Counts a request, atomically with the limit check; false if the session has none left. */
  take(id: string, limits: TakeLimits): Promise<boolean>;
  /** Gives back a request that was not answered. */
  giveBack(id: string): Promise<void>;
  /** Keeps the time of an earlier revocation. */
  revoke(id: string, atMs: number): Promise<void>;
}

export interface TakeLimits {
  readonly nowMs: number;
  /** The maximum number of requests that a session may get back, so that failing is not free forever. */
  readonly givenBackMax: number;
}
