/** Somebody who is logged in somewhere. */
export interface StoredSession {
  /** That of its token. */
  readonly id: string;
  readonly accountId: string;
  /** What the browser or program calls itself. */
  readonly client: string;
  readonly createdAtMs: number;
  /** To the hour. */
  readonly usedAtMs: number;
  readonly expiresAtMs: number;
}

export interface Sessions {
  /**
   * False where the account is gone or closed, or its password is no longer the one that was checked. Those whose time has come
   * go, and the oldest of the account where there would be more than `most`.
   */
  begin(session: StoredSession, passwordHash: string, most: number): Promise<boolean>;
  find(id: string): Promise<StoredSession | undefined>;
  /** Those whose time has not come, the newest first. */
  list(accountId: string, nowMs: number): Promise<readonly StoredSession[]>;
  touch(id: string, atMs: number): Promise<void>;
  /** False where the account has no such session. */
  end(accountId: string, id: string): Promise<boolean>;
  /** All of an account. */
  endAll(accountId: string): Promise<void>;
}

/** What a link that was sent by mail is good for. */
export type TokenPurpose = 'verify' | 'reset';

/** Of the token in such a link there is a hash, and nothing else. */
export interface MailedToken {
  readonly hash: string;
  readonly accountId: string;
  readonly purpose: TokenPurpose;
  readonly expiresAtMs: number;
}

export interface VerificationContext {
  readonly nowMs: number;
  /** The session that came along with the token. */
  readonly sessionId: string | undefined;
  /** Of a password that nobody knows. */
  readonly passwordHash: string;
}

/** Somebody has shown that they read the mail of an account. */
export interface MailboxProof {
  readonly accountId: string;
  /** Whether it was the first time, by somebody who may be another person than the one who signed up. */
  readonly startsAfresh: boolean;
}

/** Each is used once: what comes of it and its end are one step. */
export interface MailedTokens {
  /** Those whose time has come go, and the oldest of the account where there would be more than `most`. */
  add(token: MailedToken, bounds: { readonly nowMs: number; readonly most: number }): Promise<void>;
  has(hash: string, purpose: TokenPurpose, nowMs: number): Promise<boolean>;
  /**
   * Marks the address as verified; undefined where there is no such token. The first time, API keys, other sessions and links
   * end. Where `sessionId` isn't a session of the account, the password is replaced by `passwordHash` as well.
   */
  verify(hash: string, by: VerificationContext): Promise<MailboxProof | undefined>;
  /** Sets another password; ends all sessions and all other links. The first time, API keys end, too. */
  reset(hash: string, passwordHash: string, nowMs: number): Promise<MailboxProof | undefined>;
}

/** Accounts that are gone, and of which something may be left. */
export interface Erasures {
  /** Some whose time has come: they are this caller's until `untilMs`, and come back then. */
  take(bounds: {
    readonly nowMs: number;
    readonly untilMs: number;
    readonly most: number;
  }): Promise<readonly Erasure[]>;
  /** Another pass is due then. */
  scheduleNextPass(accountId: string, pass: number, atMs: number): Promise<void>;
  complete(accountId: string): Promise<void>;
  /** Deletes what the tables have of an account, some rows of each at a time; but for books and receipts. */
  deleteRows(accountId: string): Promise<void>;
  /** What was deleted is in no file any more, as far as that is ours to say. */
  purgeDeleted(): Promise<void>;
}

export interface Erasure {
  readonly accountId: string;
  /** How many were made before. */
  readonly pass: number;
}
