import type { Transaction } from 'kysely';
import { GatewayError } from '../../kernel/errors.ts';
import type { PresentedCredential } from '../../kernel/ports/records.ts';
import type { Tables } from './tables.ts';

/** Refuses a change whose session or API key has ended. The caller has locked the user's row, as whoever ends them does. */
export async function requireCredential(
  trx: Transaction<Tables>,
  accountId: string,
  { kind, id }: PresentedCredential,
): Promise<void> {
  const found =
    kind === 'session'
      ? trx.selectFrom('sessions').select('id').where('id', '=', id).where('account_id', '=', accountId)
      : trx
          .selectFrom('api_keys')
          .select('id')
          .where('id', '=', id)
          .where('account_id', '=', accountId)
          .where('revoked_at_ms', 'is', null);
  if ((await found.executeTakeFirst()) === undefined)
    throw new GatewayError(
      'authentication_required',
      'the credential of this request was revoked or has expired',
    );
}
