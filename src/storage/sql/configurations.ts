import { type Kysely, sql } from 'kysely';
import type {
  ConfigurationId,
  Configurations,
  PutConfigurationOptions,
  StoredConfiguration,
} from '../../kernel/ports/configurations.ts';
import { lockAccount } from './accounts.ts';
import { requireCredential } from './require-credential.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';

export class SqlConfigurations implements Configurations {
  readonly #db: Kysely<Tables>;
  readonly #locksRows: boolean;

  constructor(db: Kysely<Tables>, sqlDialect: SqlDialect) {
    this.#db = db;
    this.#locksRows = sqlDialect.name === 'postgres';
  }

  put(
    configuration: StoredConfiguration,
    { most, charactersMost, shown }: PutConfigurationOptions,
  ): Promise<boolean> {
    const { accountId, module, name, content, version, updatedAtMs } = configuration;
    const set = { content: JSON.stringify(content), version, updated_at_ms: updatedAtMs };
    return this.#db.transaction().execute(async (trx) => {
      // Serializes additions to one account, so that the count stays valid until the insertion.
      await lockAccount(trx, this.#locksRows, accountId);
      if (shown !== undefined) await requireCredential(trx, accountId, shown);
      const { others, characters } = await trx
        .selectFrom('configurations')
        .select((the) => [
          the.fn.countAll<number>().as('others'),
          sql<number>`coalesce(sum(length(content)), 0)`.as('characters'),
        ])
        .where('account_id', '=', accountId)
        .where((the) => the.or([the('module', '<>', module), the('name', '<>', name)]))
        .executeTakeFirstOrThrow();
      if (others >= most || Number(characters) + set.content.length > charactersMost) return false;
      await trx
        .insertInto('configurations')
        .values({ account_id: accountId, module, name, ...set })
        .onConflict((conflict) => conflict.columns(['account_id', 'module', 'name']).doUpdateSet(set))
        .execute();
      return true;
    });
  }

  async list(accountId: string): Promise<readonly StoredConfiguration[]> {
    const rows = await this.#db
      .selectFrom('configurations')
      .selectAll()
      .where('account_id', '=', accountId)
      .orderBy('module')
      .orderBy('name')
      .execute();
    return rows.map((row) => ({
      accountId: row.account_id,
      module: row.module,
      name: row.name,
      content: JSON.parse(row.content),
      version: row.version,
      updatedAtMs: row.updated_at_ms,
    }));
  }

  async delete({ accountId, module, name }: ConfigurationId): Promise<boolean> {
    const { numDeletedRows } = await this.#db
      .deleteFrom('configurations')
      .where('account_id', '=', accountId)
      .where('module', '=', module)
      .where('name', '=', name)
      .executeTakeFirstOrThrow();
    return numDeletedRows === 1n;
  }

  async forget(accountId: string): Promise<void> {
    await this.#db.deleteFrom('configurations').where('account_id', '=', accountId).execute();
  }
}
