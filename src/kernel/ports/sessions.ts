import type { IdentityId, Role } from './identities.ts';

/** A login session of a person in one of their accounts. */
export interface StoredSession {
  /** The hash of its token. */
  readonly id: string;
  readonly identityId: IdentityId;
  readonly accountId: string;
  /** The user agent. */
  readonly client: string;
  readonly createdAtMs: number;
  /** Rounded to the hour. */
  readonly usedAtMs: number;
  readonly expiresAtMs: number;
  /** Undefined after a login. */
  readonly signOn?: SignOnSession | undefined;
}

/** How a session began with single sign-on. It is valid in the account of the identity provider only. */
export interface SignOnSession {
  readonly subject: string;
  /** The provider's own session. */
  readonly sid?: string | undefined;
}

/** A session with the present role of its person. */
export interface MemberSession extends StoredSession {
  readonly role: Role;
}

export interface Sessions {
  /**
   * False if the person is locked out or is no member of the account, or if the password has changed since the check. The
   * hash is undefined after a login without a password. Deletes expired sessions, and the person's oldest beyond `most`.
   */
  begin(session: StoredSession, passwordHash: string | undefined, most: number): Promise<boolean>;
  /** Undefined also for a person who is no longer a member of the account. */
  find(id: string): Promise<MemberSession | undefined>;
  /** Unexpired sessions, the newest first. */
  list(identityId: IdentityId, nowMs: number): Promise<readonly StoredSession[]>;
  touch(id: string, atMs: number): Promise<void>;
  /** False if the person has no such session. */
  end(identityId: IdentityId, id: string): Promise<boolean>;
}

/** The purpose of a mailed link. */
export type TokenPurpose = 'verify' | 'reset';

/** Only the hash of the link's token is stored. */
export interface MailedToken {
  readonly hash: string;
  readonly identityId: IdentityId;
  readonly purpose: TokenPurpose;
  readonly expiresAtMs: number;
}

export interface VerificationContext {
  readonly nowMs: number;
  /** The session sent with the token. */
  readonly sessionId: string | undefined;
  /** The hash of an unknown random password. */
  readonly passwordHash: string;
}

/** The result of a verified mail address. */
export interface MailboxProof {
  /** The accounts that its person owns alone. */
  readonly accountIds: readonly string[];
  /** Whether the owner of the address took over an account that someone else may have created. */
  readonly isTakeover: boolean;
}

/** Links that work once: using one deletes it in the same transaction. */
export interface MailedTokens {
  /** Deletes expired links, and the oldest of the person beyond `most`. */
  add(token: MailedToken, bounds: { readonly nowMs: number; readonly most: number }): Promise<void>;
  has(hash: string, purpose: TokenPurpose, nowMs: number): Promise<boolean>;
  /**
   * Marks the address as verified; undefined if there is no such token. The first time, ends API keys, other sessions
   * and links. If `sessionId` isn't a session of the person, also replaces the password with `passwordHash`.
   */
  verify(hash: string, by: VerificationContext): Promise<MailboxProof | undefined>;
  /** Sets a new password; ends all sessions and all other links. The first time, ends API keys, too. */
  reset(hash: string, passwordHash: string, nowMs: number): Promise<MailboxProof | undefined>;
}

/** Deleted accounts that may have data left. */
export interface Erasures {
  /** Acquires some due ones until `untilMs`. */
  take(bounds: {
    readonly nowMs: number;
    readonly untilMs: number;
    readonly most: number;
  }): Promise<readonly Erasure[]>;
  /** Schedules another pass. */
  scheduleNextPass(accountId: string, pass: number, atMs: number): Promise<void>;
  complete(accountId: string): Promise<void>;
  /** Deletes some rows of each table of an account; keeps ledgers and receipts. */
  deleteRows(accountId: string): Promise<void>;
  /** All deleted accounts, also those without any data left, by time. */
  deletions(): Promise<readonly DeletedAccount[]>;
  /** Records deletions that another database knows of. */
  recordDeletions(deletions: readonly DeletedAccount[]): Promise<void>;
  /** Removes deleted data from files, as far as the database allows. */
  purgeDeleted(): Promise<void>;
}

/** Only an id, so that a restored backup does not bring the account back. */
export interface DeletedAccount {
  readonly accountId: string;
  readonly deletedAtMs: number;
}

export interface Erasure {
  readonly accountId: string;
  /** The number of earlier passes. */
  readonly pass: number;
}
