import type { Kysely } from 'kysely';
import type { IdentityId } from '../../kernel/ports/identities.ts';
import type { NewOrganization, Organizations } from '../../kernel/ports/organizations.ts';
import { lockAccount, ownedAccounts } from './accounts.ts';
import { userRowId } from './identities.ts';
import { isNotHeld } from './legal-holds.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';

export class SqlOrganizations implements Organizations {
  readonly #db: Kysely<Tables>;
  readonly #locksRows: boolean;

  constructor(db: Kysely<Tables>, sqlDialect: SqlDialect) {
    this.#db = db;
    this.#locksRows = sqlDialect.name === 'postgres';
  }

  add({ id, name, createdAtMs }: NewOrganization, owner: IdentityId, most: number): Promise<boolean> {
    return this.#db.transaction().execute(async (trx) => {
      // Serializes with other organizations of the person.
      await lockAccount(trx, this.#locksRows, userRowId(owner));
      if ((await ownedAccounts(trx, owner)).length >= most) return false;
      await trx
        .insertInto('users')
        .values({
          id,
          email: '',
          email_folded: id,
          password_hash: '',
          tier: 'free',
          created_at_ms: createdAtMs,
          overage: 0,
          name,
        })
        .execute();
      await trx
        .insertInto('memberships')
        .values({ identity_id: owner, account_id: id, role: 'owner', created_at_ms: createdAtMs })
        .execute();
      return true;
    });
  }

  async rename(accountId: string, name: string | null): Promise<void> {
    await this.#db.updateTable('users').set({ name }).where('id', '=', accountId).execute();
  }

  async scheduleDeletion(accountId: string, atMs: number): Promise<void> {
    await this.#db.updateTable('users').set({ deletes_at_ms: atMs }).where('id', '=', accountId).execute();
  }

  async cancelDeletion(accountId: string, nowMs: number): Promise<void> {
    await this.#db
      .updateTable('users')
      .set({ deletes_at_ms: null })
      .where('id', '=', accountId)
      .where('deletes_at_ms', '>', nowMs)
      .execute();
  }

  async due(nowMs: number, most: number): Promise<readonly string[]> {
    const rows = await this.#db
      .selectFrom('users')
      .select('id')
      .where('deletes_at_ms', '<=', nowMs)
      .where(isNotHeld('users.id'))
      .orderBy('deletes_at_ms')
      .limit(most)
      .execute();
    return rows.map(({ id }) => id);
  }
}
