import type { Users } from '../kernel/ports/records.ts';
import type { Versions } from '../kernel/ports/shared-state.ts';
import type { Clock } from '../lib/clock.ts';
import type { AccountEraser } from './account-eraser.ts';
import type { Session } from './session-tokens.ts';
import { type UserAccounts, wrongPasswordError } from './user-accounts.ts';

export interface AccountDeletionParts {
  readonly accounts: UserAccounts;
  readonly users: Users;
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
    const { accounts: userAccounts, users, versions, eraser, clock, beforeDelete } = this.#parts;
    const { id, passwordHash } = await userAccounts.confirmPassword(session, password, remoteAddress);
    await beforeDelete(id);
    if (!(await users.erase(id, passwordHash, clock.now()))) throw wrongPasswordError();
    try {
      await versions.renew(id);
    } finally {
      void eraser.eraseDue();
    }
  }
}
