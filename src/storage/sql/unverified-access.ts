import type { Transaction } from 'kysely';
import type { IdentityId } from '../../kernel/ports/identities.ts';
import { ownedAccounts } from './accounts.ts';
import { deleteLoginFactors, endSessionsAndResetLinks } from './identities.ts';
import type { Tables } from './tables.ts';

interface UnverifiedAccess {
  readonly identityId: IdentityId;
  /** The accounts that the person owns alone. */
  readonly accountIds: readonly string[];
  readonly nowMs: number;
  readonly keptSession?: string | undefined;
  readonly locksRows: boolean;
}

/**
 * Revokes everything created before the address was verified. Provider keys stay if the session that stored them stays.
 */
export async function revokeUnverifiedAccess(
  trx: Transaction<Tables>,
  { identityId, accountIds, nowMs, keptSession, locksRows }: UnverifiedAccess,
): Promise<void> {
  await endSessionsAndResetLinks(trx, identityId, keptSession);
  await trx.deleteFrom('mailed_tokens').where('account_id', '=', identityId).execute();
  if (keptSession === undefined) await deleteLoginFactors(trx, identityId);
  if (accountIds.length === 0) return;
  const inUse = trx
    .selectFrom('api_keys')
    .select('id')
    .where('account_id', 'in', accountIds)
    .where('revoked_at_ms', 'is', null);
  // Locks keys in the same order as the writer of key uses.
  if (locksRows) await inUse.orderBy('id').forUpdate().execute();
  await trx.updateTable('api_keys').set({ revoked_at_ms: nowMs }).where('id', 'in', inUse).execute();
  if (keptSession === undefined)
    await trx.deleteFrom('provider_keys').where('account_id', 'in', accountIds).execute();
}

/** The accounts that a person owns and shares with nobody. What others created in an account isn't the person's. */
export async function ownAccounts(
  trx: Transaction<Tables>,
  identityId: IdentityId,
): Promise<readonly string[]> {
  const owned = await ownedAccounts(trx, identityId);
  if (owned.length === 0) return [];
  const shared = await trx
    .selectFrom('memberships')
    .select('account_id')
    .distinct()
    .where('account_id', 'in', owned)
    .where('identity_id', '<>', identityId)
    .execute();
  return owned.filter((accountId) => shared.every(({ account_id }) => account_id !== accountId));
}
