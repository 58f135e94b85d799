import { GatewayError } from '../kernel/errors.ts';
import type { AccountErasure, AccountOwner, Accounts } from '../kernel/ports/identities.ts';
import type { Versions } from '../kernel/ports/shared-state.ts';
import type { Clock } from '../lib/clock.ts';
import type { AccountEraser } from './account-eraser.ts';
import type { Session } from './session-tokens.ts';
import { type UserAccounts, wrongPasswordError } from './user-accounts.ts';

export interface DeletionParts {
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
 * Stops charges, then revokes the keys of the account everywhere and queues its data for erasure.
 */
export async function deleteAccount(
  { accounts, versions, clock, beforeDelete }: DeletionParts,
  owner: AccountOwner,
): Promise<AccountErasure> {
  await beforeDelete(owner.accountId);
  const outcome = await accounts.erase(owner, clock.now());
  if (outcome === 'erased') await versions.renew(owner.accountId);
  return outcome;
}

/** Deletion of people's own accounts. */
export class AccountDeletion {
  readonly #parts: AccountDeletionParts;

  constructor(parts: AccountDeletionParts) {
    this.#parts = parts;
  }

  async deleteAccount(session: Session, password: string, remoteAddress: string): Promise<void> {
    const { userAccounts, eraser } = this.#parts;
    const { accountId, identityId } = session;
    if (String(identityId) !== accountId)
      throw new GatewayError(
        'forbidden',
        'this session is in an organization: switch to your own account to delete it, or delete the organization with DELETE /v1/organization',
      );
    const passwordHash = await userAccounts.confirmPassword(session, password, remoteAddress);
    try {
      const outcome = await deleteAccount(this.#parts, { accountId, identityId, passwordHash });
      if (outcome === 'changed') throw wrongPasswordError(session);
      if (outcome === 'last_owner') throw lastOwnerError();
      if (outcome === 'held') throw legalHoldError();
    } finally {
      void eraser.eraseDue();
    }
  }
}

export function legalHoldError(): GatewayError {
  return new GatewayError(
    'legal_hold',
    'a legal hold stands on this account, so that nothing of it may be deleted: GET /v1/organization/holds has the reason, and says who can release it',
  );
}

function lastOwnerError(): GatewayError {
  return new GatewayError(
    'last_owner',
    'organizations or members depend on you: delete the organizations that have no other owner, and remove the other members of your own account',
  );
}
