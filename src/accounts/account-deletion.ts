import type { Accounts } from '../kernel/ports/identities.ts';
import type { Versions } from '../kernel/ports/shared-state.ts';
import type { Clock } from '../lib/clock.ts';
import type { AccountEraser } from './account-eraser.ts';
import type { Session } from './session-tokens.ts';
import { type UserAccounts, wrongPasswordError } from './user-accounts.ts';

export interface AccountDeletionParts {
  readonly userAccounts: UserAccounts;
  readonly accounts: Pick<Accounts, 'erase'>;
  readonly versions: Pick<Versions, 'renew'>;
  readonly eraser: Pick<AccountEraser, 'eraseDue'>;
  readonly clock: Clock;
  /** Must succeed first; otherwise the account stays. */
  beforeDelete(accountId: string): Promise<void>;
}

/** Deletes an account: stops charges, then revokes its keys everywhere, then erases its data. */
export class AccountDeletion {
  readonly #parts: AccountDeletionParts;

  constructor(parts: AccountDeletionParts) {
    this.#parts = parts;
  }

  async deleteAccount(session: Session, password: string, remoteAddress: string): Promise<void> {
    const { userAccounts, accounts, versions, eraser, clock, beforeDelete } = this.#parts;
    const { accountId, identityId } = session;
    const passwordHash = await userAccounts.confirmPassword(session, password, remoteAddress);
    await beforeDelete(accountId);
    if (!(await accounts.erase({ accountId, identityId, passwordHash }, clock.now())))
      throw wrongPasswordError();
    try {
      await versions.renew(accountId);
    } finally {
      void eraser.eraseDue();
    }
  }
}
