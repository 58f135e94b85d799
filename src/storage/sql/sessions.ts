import type { Kysely } from 'kysely';
import type { Sessions, StoredSession } from '../../kernel/ports/sessions.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';

const columns = [
  'id',
  'account_id as accountId',
  'client',
  'created_at_ms as createdAtMs',
  'used_at_ms as usedAtMs',
  'expires_at_ms as expiresAtMs',
] as const;

export class SqlSessions implements Sessions {
  readonly #db: Kysely<Tables>;
  /** False for SQLite, which has a single writer and no row locks. */
  readonly #locksRows: boolean;

  constructor(db: Kysely<Tables>, sqlDialect: SqlDialect) {
    this.#db = db;
    this.#locksRows = sqlDialect.name === 'postgres';
  }

  begin(session: StoredSession, passwordHash: string, most: number): Promise<boolean> {
    const { id, accountId, client, createdAtMs, usedAtMs, expiresAtMs } = session;
    return this.#db.transaction().execute(async (trx) => {
      // Serializes with password changes: a later one finds this session, an earlier one prevents it.
      const user = await trx
        .selectFrom('users')
        .select('id')
        .where('id', '=', accountId)
        .where('password_hash', '=', passwordHash)
        .where('disabled_at_ms', 'is', null)
        .$if(this.#locksRows, (query) => query.forUpdate())
        .executeTakeFirst();
      if (user === undefined) return false;
      await trx.deleteFrom('sessions').where('expires_at_ms', '<=', createdAtMs).execute();
      const newest = trx
        .selectFrom('sessions')
        .select('id')
        .where('account_id', '=', accountId)
        .orderBy('created_at_ms', 'desc')
        .orderBy('id', 'desc')
        .limit(most - 1);
      await trx
        .deleteFrom('sessions')
        .where('account_id', '=', accountId)
        .where('id', 'not in', newest)
        .execute();
      await trx
        .insertInto('sessions')
        .values({
          id,
          account_id: accountId,
          client,
          created_at_ms: createdAtMs,
          used_at_ms: usedAtMs,
          expires_at_ms: expiresAtMs,
        })
        .execute();
      return true;
    });
  }

  find(id: string): Promise<StoredSession | undefined> {
    return this.#db.selectFrom('sessions').select(columns).where('id', '=', id).executeTakeFirst();
  }

  list(accountId: string, nowMs: number): Promise<readonly StoredSession[]> {
    return this.#db
      .selectFrom('sessions')
      .select(columns)
      .where('account_id', '=', accountId)
      .where('expires_at_ms', '>', nowMs)
      .orderBy('created_at_ms', 'desc')
      .orderBy('id', 'desc')
      .execute();
  }

  async touch(id: string, atMs: number): Promise<void> {
    await this.#db.updateTable('sessions').set({ used_at_ms: atMs }).where('id', '=', id).execute();
  }

  async end(accountId: string, id: string): Promise<boolean> {
    const { numDeletedRows } = await this.#db
      .deleteFrom('sessions')
      .where('id', '=', id)
      .where('account_id', '=', accountId)
      .executeTakeFirstOrThrow();
    return numDeletedRows === 1n;
  }

  async endAll(accountId: string): Promise<void> {
    await this.#db.deleteFrom('sessions').where('account_id', '=', accountId).execute();
  }
}
