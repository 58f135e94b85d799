import { sql, type Transaction } from 'kysely';
import { GatewayError } from '../../kernel/errors.ts';
import type { PresentedCredential } from '../../kernel/ports/records.ts';
import type { Tables } from './tables.ts';

/** Throws if the session or API key was revoked or has expired. The caller has locked the user's row, as revocations do. */
export async function requireCredential(
  trx: Transaction<Tables>,
  accountId: string,
  { kind, id }: PresentedCredential,
): Promise<void> {
  const own = sql<boolean>`id = ${id} and account_id = ${accountId}`;
  const credentials = {
    session: () => trx.selectFrom('sessions').select('id').where(own),
    service: () => trx.selectFrom('service_account_tokens').select('id').where(own),
    key: () => trx.selectFrom('api_keys').select('id').where(own).where('revoked_at_ms', 'is', null),
  };
  if ((await credentials[kind]().executeTakeFirst()) === undefined)
    throw new GatewayError(
      'authentication_required',
      'the credential of this request was revoked or has expired',
    );
}
