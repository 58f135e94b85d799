import type { AccountOwner, Accounts } from '../kernel/ports/identities.ts';
import type { Versions } from '../kernel/ports/shared-state.ts';
import type { Clock } from '../lib/clock.ts';
import type { AccountEraser } from './account-eraser.ts';
import type { Session } from './session-tokens.ts';
import { type UserAccounts, wrongPasswordError } from './user-accounts.ts';

interface DeletionParts {
  readonly accounts: Pick<Accounts, 'erase'>;
  readonly versions: Pick<Versions, 'renew'>;
  readonly clock: Clock;
  /** Must succeed first; otherwise the account stays. */
  beforeDelete(accountId: string): Promise<void>;
}

export interface AccountDeletionParts extends DeletionParts {
  readonly userAccounts: UserAccounts;
  readonly eraser: Pick<AccountEraser, 'eraseDue'>;
}

/**
 * Stops charges, then revokes the keys of the account everywhere and queues its data for erasure. False without a change if
 * the owner's password has changed meanwhile.
 */
export async function deleteAccount(
  { accounts, versions, clock, beforeDelete }: DeletionParts,
  owner: AccountOwner,
): Promise<boolean> {
  await beforeDelete(owner.accountId);
  if (!(await accounts.erase(owner, clock.now()))) return false;
  await versions.renew(owner.accountId);
  return true;
}

/** Deletion of an account by its owner. */
export class AccountDeletion {
  readonly #parts: AccountDeletionParts;

  constructor(parts: AccountDeletionParts) {
    this.#parts = parts;
  }

  async deleteAccount(session: Session, password: string, remoteAddress: string): Promise<void> {
    const { userAccounts, eraser } = this.#parts;
    const { accountId, identityId } = session;
    const passwordHash = await userAccounts.confirmPassword(session, password, remoteAddress);
    try {
      if (!(await deleteAccount(this.#parts, { accountId, identityId, passwordHash })))
        throw wrongPasswordError(session);
    } finally {
      void eraser.eraseDue();
    }
  }
}
