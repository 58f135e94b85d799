import type { Kysely } from 'kysely';
import type { ScimToken, ScimTokens } from '../../kernel/ports/scim.ts';
import { lockAccount } from './accounts.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';

const columns = [
  'scim_tokens.id',
  'scim_tokens.account_id as accountId',
  'scim_tokens.name',
  'scim_tokens.hash',
  'scim_tokens.created_at_ms as createdAtMs',
  'scim_tokens.used_at_ms as usedAtMs',
] as const;

export class SqlScimTokens implements ScimTokens {
  readonly #db: Kysely<Tables>;
  readonly #locksRows: boolean;

  constructor(db: Kysely<Tables>, sqlDialect: SqlDialect) {
    this.#db = db;
    this.#locksRows = sqlDialect.name === 'postgres';
  }

  add({ id, accountId, name, hash, createdAtMs, usedAtMs }: ScimToken, most: number): Promise<boolean> {
    return this.#db.transaction().execute(async (trx) => {
      await lockAccount(trx, this.#locksRows, accountId);
      const own = await trx
        .selectFrom('scim_tokens')
        .select('id')
        .where('account_id', '=', accountId)
        .execute();
      if (own.length >= most) return false;
      await trx
        .insertInto('scim_tokens')
        .values({ id, account_id: accountId, name, hash, created_at_ms: createdAtMs, used_at_ms: usedAtMs })
        .execute();
      return true;
    });
  }

  list(accountId: string): Promise<readonly ScimToken[]> {
    return this.#db
      .selectFrom('scim_tokens')
      .select(columns)
      .where('account_id', '=', accountId)
      .orderBy('created_at_ms')
      .orderBy('id')
      .execute();
  }

  async remove(accountId: string, id: string): Promise<boolean> {
    const { numDeletedRows } = await this.#db
      .deleteFrom('scim_tokens')
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    return numDeletedRows === 1n;
  }

  byHash(hash: string, _nowMs: number, accountId: string): Promise<ScimToken | undefined> {
    return this.#db
      .selectFrom('scim_tokens')
      .innerJoin('users', 'users.id', 'scim_tokens.account_id')
      .select(columns)
      .where('hash', '=', hash)
      .where('scim_tokens.account_id', '=', accountId)
      .where('users.disabled_at_ms', 'is', null)
      .executeTakeFirst();
  }

  async touch(id: string, atMs: number): Promise<void> {
    await this.#db.updateTable('scim_tokens').set({ used_at_ms: atMs }).where('id', '=', id).execute();
  }
}
