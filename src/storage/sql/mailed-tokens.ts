import type { Kysely, Transaction } from 'kysely';
import type { MailedToken, MailedTokens, TokenPurpose } from '../../kernel/ports/sessions.ts';
import type { Tables } from './tables.ts';
import { setPassword } from './users.ts';

export class SqlMailedTokens implements MailedTokens {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async add(token: MailedToken, bounds: { readonly nowMs: number; readonly most: number }): Promise<void> {
    const { hash, accountId, purpose, expiresAtMs } = token;
    await this.#db.transaction().execute(async (trx) => {
      await trx.deleteFrom('mailed_tokens').where('expires_at_ms', '<=', bounds.nowMs).execute();
      const kept = trx
        .selectFrom('mailed_tokens')
        .select('hash')
        .where('account_id', '=', accountId)
        .where('purpose', '=', purpose)
        .orderBy('expires_at_ms', 'desc')
        .limit(bounds.most - 1);
      await trx
        .deleteFrom('mailed_tokens')
        .where('account_id', '=', accountId)
        .where('purpose', '=', purpose)
        .where('hash', 'not in', kept)
        .execute();
      await trx
        .insertInto('mailed_tokens')
        .values({ hash, account_id: accountId, purpose, expires_at_ms: expiresAtMs })
        .execute();
    });
  }

  async has(hash: string, purpose: TokenPurpose, nowMs: number): Promise<boolean> {
    const found = await this.#db
      .selectFrom('mailed_tokens')
      .select('hash')
      .where('hash', '=', hash)
      .where('purpose', '=', purpose)
      .where('expires_at_ms', '>', nowMs)
      .executeTakeFirst();
    return found !== undefined;
  }

  verify(hash: string, nowMs: number): Promise<boolean> {
    return this.#db.transaction().execute(async (trx) => {
      const accountId = await used(trx, { hash, purpose: 'verify', nowMs });
      if (accountId === undefined) return false;
      const { numUpdatedRows } = await trx
        .updateTable('users')
        .set({ verified_at_ms: nowMs })
        .where('id', '=', accountId)
        .executeTakeFirstOrThrow();
      return numUpdatedRows === 1n;
    });
  }

  reset(hash: string, passwordHash: string, nowMs: number): Promise<string | undefined> {
    return this.#db.transaction().execute(async (trx) => {
      const accountId = await used(trx, { hash, purpose: 'reset', nowMs });
      if (accountId === undefined) return undefined;
      const isSet = await setPassword(trx, { accountId, passwordHash });
      // Who could read the mail has shown whose address it is.
      if (isSet)
        await trx
          .updateTable('users')
          .set((the) => ({ verified_at_ms: the.fn.coalesce('verified_at_ms', the.val(nowMs)) }))
          .where('id', '=', accountId)
          .execute();
      return isSet ? accountId : undefined;
    });
  }
}

interface Used {
  readonly hash: string;
  readonly purpose: TokenPurpose;
  readonly nowMs: number;
}

/**
 * Of two who use one at the same time, the other waits here and finds none. The user's row is locked before those of tokens,
 * as everywhere: who locks them the other way round could wait in a circle.
 */
async function used(trx: Transaction<Tables>, { hash, purpose, nowMs }: Used): Promise<string | undefined> {
  const whose = trx.selectFrom('mailed_tokens').select('account_id').where('hash', '=', hash);
  await trx
    .updateTable('users')
    .set((the) => ({ verified_at_ms: the.ref('verified_at_ms') }))
    .where('id', 'in', whose)
    .execute();
  const token = await trx
    .deleteFrom('mailed_tokens')
    .where('hash', '=', hash)
    .where('purpose', '=', purpose)
    .where('expires_at_ms', '>', nowMs)
    .returning('account_id')
    .executeTakeFirst();
  return token?.account_id;
}
