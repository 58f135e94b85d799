import type { Account } from './records.ts';

declare const identityBrand: unique symbol;

/** The id of a person: a string at run time, but of no type that an account's id is assignable to, or the reverse. */
export interface IdentityId {
  readonly [identityBrand]: never;
}

/** For new ids, and for those from outside of the type checker's reach. */
export function identityIdOf(text: string): IdentityId {
  return text as unknown as IdentityId;
}

/** A person who can log in. */
export interface Identity {
  readonly id: IdentityId;
  /** As typed, trimmed. */
  readonly email: string;
  /** Undefined if the person logs in by other means. */
  readonly passwordHash?: string;
  readonly createdAtMs: number;
  /** When the person verified the mail address. */
  readonly verifiedAtMs?: number;
  /** When an operator locked the person out. */
  readonly disabledAtMs?: number;
}

export const roles = ['owner', 'admin', 'developer', 'billing', 'viewer', 'member'] as const;

/** Roles in a project. */
export const projectRoles = ['admin', 'developer', 'billing', 'viewer'] as const satisfies readonly Role[];

export type ProjectRole = (typeof projectRoles)[number];

/** What a person may do in an account: src/accounts/rights.ts has the table. */
export type Role = (typeof roles)[number];

/** Of several roles, the one with most rights. */
export function highestRole(list: readonly Role[]): Role | undefined {
  return roles.find((role) => list.includes(role));
}

/** A person in an account. */
export interface Member {
  readonly identity: Identity;
  readonly account: Account;
  readonly role: Role;
}

export interface Identities {
  /** Adds a person and an account that they own; false if the address is taken, ignoring case. */
  add(owner: Pick<Member, 'identity' | 'account'>): Promise<boolean>;
  byEmail(email: string): Promise<Identity | undefined>;
  /** False without a change if the password has changed meanwhile. Ends other sessions, and revokes sent links. */
  changePassword(change: PasswordChange): Promise<boolean>;
  /** Locks a person out, ends their sessions and links, and closes the accounts that they own; null undoes it. */
  setDisabled(id: IdentityId, atMs: number | null): Promise<void>;
}

export interface PasswordChange {
  readonly identityId: IdentityId;
  /** Hashes. */
  readonly before: string;
  readonly after: string;
  /** The session that stays. */
  readonly currentSession: string;
}

export interface Members {
  find(id: IdentityId, accountId: string): Promise<Member | undefined>;
  /** All accounts of a person, the oldest membership first. */
  ofIdentity(id: IdentityId): Promise<readonly Member[]>;
  /** The oldest owner of an account. */
  owner(accountId: string): Promise<Member | undefined>;
  /** Owners by normalized address and account, after this one. */
  owners(after: OwnerPosition | undefined, limit: number): Promise<readonly Member[]>;
  /** Members of an account in the order in which they joined. */
  page(accountId: string, page: MemberPage): Promise<readonly ListedMember[]>;
  count(accountId: string): Promise<number>;
  changeRole(member: MemberId, role: Role): Promise<MemberChange>;
  /** Also ends the sessions of the person in the account. */
  remove(member: MemberId): Promise<MemberChange>;
}

export interface MemberId {
  readonly accountId: string;
  readonly identityId: IdentityId;
}

/** An account keeps an owner, and a person stays the owner of their own account. */
export type MemberChange = 'changed' | 'unknown' | 'last_owner';

export interface OwnerPosition {
  readonly email: string;
  readonly accountId: string;
}

export interface MemberPage {
  /** The last member of the page before. */
  readonly after?: MemberPosition | undefined;
  /** A part of the address. */
  readonly search?: string | undefined;
  readonly limit: number;
}

interface MemberPosition {
  readonly sinceMs: number;
  readonly identityId: IdentityId;
}

export interface ListedMember extends MemberPosition {
  readonly email: string;
  readonly verified: boolean;
  readonly role: Role;
}

export interface Accounts {
  byId(accountId: string): Promise<Account | undefined>;
  /**
   * Deletes an account with its keys, sessions and links, and queues the rest for erasure. A person who deletes their own
   * account is deleted with it, and leaves all others.
   */
  erase(owner: AccountOwner, atMs: number): Promise<AccountErasure>;
}

/**
 * Without a change, `changed` if the owner or their password has changed meanwhile, and `last_owner` if a person deletes their
 * own account while accounts with members, or other accounts, have no other owner. `held` under a legal hold.
 */
export type AccountErasure = 'erased' | 'changed' | 'last_owner' | 'held';

export interface AccountOwner {
  readonly accountId: string;
  readonly identityId: IdentityId;
  readonly passwordHash: string | undefined;
  /** Whether the account was deleted before, and a restored backup has brought it back: then no other owner is needed. */
  readonly isRepeated?: true;
}
