import type { Role } from './identities.ts';

/** The roles that a service account may have. */
export const serviceRoles = [
  'admin',
  'developer',
  'billing',
  'viewer',
  'member',
] as const satisfies readonly Role[];

export type ServiceRole = (typeof serviceRoles)[number];

/** A program with a role in an account. */
export interface ServiceAccount {
  readonly id: string;
  readonly accountId: string;
  /** Unique in the account. */
  readonly name: string;
  readonly role: ServiceRole;
  readonly createdAtMs: number;
  /** Since when its tokens are refused; null if they are not. */
  readonly disabledAtMs: number | null;
}

/** A credential of a service account; only the hash of the token is stored. */
export interface ServiceToken {
  readonly id: string;
  readonly serviceAccountId: string;
  readonly accountId: string;
  readonly hash: string;
  readonly createdAtMs: number;
  /** Rounded to the hour; null if it was never used. */
  readonly usedAtMs: number | null;
  /** Null for a token that doesn't expire. */
  readonly expiresAtMs: number | null;
}

/** A token with the role of its service account. */
export interface ActiveServiceToken extends ServiceToken {
  readonly role: ServiceRole;
}

export interface ServiceAccounts {
  add(serviceAccount: ServiceAccount, most: number): Promise<'added' | 'name_taken' | 'limit_reached'>;
  find(accountId: string, id: string): Promise<ServiceAccount | undefined>;
  /** By name. */
  list(accountId: string): Promise<readonly ServiceAccount[]>;
  change(
    accountId: string,
    id: string,
    changes: Partial<Pick<ServiceAccount, 'name' | 'role' | 'disabledAtMs'>>,
  ): Promise<'changed' | 'unknown' | 'name_taken'>;
  /** With its tokens and its roles in projects; false if there is none. */
  remove(accountId: string, id: string): Promise<boolean>;
  /** `unknown` if there is no such service account. */
  addToken(token: ServiceToken, most: number): Promise<'added' | 'unknown' | 'limit_reached'>;
  /** All tokens of the service accounts of an account, the oldest first. */
  tokens(accountId: string): Promise<readonly ServiceToken[]>;
  /** False if the service account has no such token. */
  removeToken(token: Pick<ServiceToken, 'accountId' | 'serviceAccountId' | 'id'>): Promise<boolean>;
  /** An unexpired token of a service account that is not disabled, in an account that is not closed. */
  byHash(hash: string, nowMs: number): Promise<ActiveServiceToken | undefined>;
  touch(tokenId: string, atMs: number): Promise<void>;
}
