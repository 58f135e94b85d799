import type { IdentityId } from './identities.ts';

/** Accounts that people create beside their own, to share them. */
export interface Organizations {
  /** Adds an account that a person owns; false if they own `most` accounts already. */
  add(organization: NewOrganization, owner: IdentityId, most: number): Promise<boolean>;
  /** Null removes the name. */
  rename(accountId: string, name: string | null): Promise<void>;
  scheduleDeletion(accountId: string, atMs: number): Promise<void>;
  /** Does nothing if the time has come. */
  cancelDeletion(accountId: string, nowMs: number): Promise<void>;
  /** Accounts whose time to be deleted has come. */
  due(nowMs: number, most: number): Promise<readonly string[]>;
}

export interface NewOrganization {
  readonly id: string;
  readonly name: string;
  readonly createdAtMs: number;
}
