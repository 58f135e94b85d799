/** Somebody without an account, for as long as the session lasts. */
export interface AnonSession {
  readonly id: string;
  /** What receipts name the session by: its id itself can claim them. */
  readonly sessionRef: string;
  readonly requestLimit: number;
  readonly requestsUsed: number;
  readonly expiresAtMs: number;
  readonly revokedAtMs: number | null;
}

/** Of the token and of the client's address there are keyed hashes, and nothing else. */
export interface NewAnonSession extends AnonSession {
  readonly tokenHash: string;
  readonly addressHash: string;
}

export interface AnonSessions {
  /** Also forgets those whose time was over before `forgetBeforeMs`. */
  add(session: NewAnonSession, forgetBeforeMs: number): Promise<void>;
  /** The one whose token has one of these hashes. */
  byToken(tokenHashes: readonly string[]): Promise<AnonSession | undefined>;
  byId(id: string): Promise<AnonSession | undefined>;
  /** Counts a request, in one step with the look at the limit; false where the session has none left. */
  take(id: string, limits: TakeLimits): Promise<boolean>;
  /** For a request that was not answered after all. */
  giveBack(id: string): Promise<void>;
  /** Of one that is revoked already the time stays. */
  revoke(id: string, atMs: number): Promise<void>;
}

export interface TakeLimits {
  readonly nowMs: number;
  /** A session that has given back so many requests gets no more: failing must not be free for ever. */
  readonly givenBackMax: number;
}
