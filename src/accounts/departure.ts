import type { Clock } from '../kernel/clock.ts';
import type { Users } from '../kernel/ports/records.ts';
import type { Versions } from '../kernel/ports/shared-state.ts';
import type { Erasing } from './erasing.ts';
import type { Session } from './session-tokens.ts';
import { type Accounts, wrongPassword } from './users.ts';

export interface DepartureParts {
  readonly accounts: Accounts;
  readonly users: Users;
  readonly versions: Pick<Versions, 'renew'>;
  readonly erasing: Pick<Erasing, 'look'>;
  readonly clock: Clock;
  /** What must be done first, or the account stays. */
  beforehand(accountId: string): Promise<void>;
}

/** How people leave: nothing is charged any more, then their keys work nowhere, and then what is left of them is erased. */
export class Departure {
  readonly #parts: DepartureParts;

  constructor(parts: DepartureParts) {
    this.#parts = parts;
  }

  async leave(session: Session, password: string, remoteAddress: string): Promise<void> {
    const { accounts, users, versions, erasing, clock, beforehand } = this.#parts;
    const { id, passwordHash } = await accounts.confirmed(session, password, remoteAddress);
    await beforehand(id);
    if (!(await users.erase(id, passwordHash, clock.now()))) throw wrongPassword();
    try {
      await versions.renew(id);
    } finally {
      void erasing.look();
    }
  }
}
