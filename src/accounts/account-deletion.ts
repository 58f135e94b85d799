import type { Clock } from '../kernel/clock.ts';
import type { Users } from '../kernel/ports/records.ts';
import type { Versions } from '../kernel/ports/shared-state.ts';
import type { AccountEraser } from './account-eraser.ts';
import type { Session } from './session-tokens.ts';
import { type UserAccounts, wrongPasswordError } from './user-accounts.ts';

export interface AccountDeletionParts {
  readonly accounts: UserAccounts;
  readonly users: Users;
  readonly versions: Pick<Versions, 'renew'>;
  readonly eraser: Pick<AccountEraser, 'eraseDue'>;
  readonly clock: Clock;
  /** What must be done first, or the account stays. */
  beforeDelete(accountId: string): Promise<void>;
}

/** How people leave: nothing is charged any more, then their keys work nowhere, and then what is left of them is erased. */
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
