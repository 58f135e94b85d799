import { type Kysely, sql, type Transaction } from 'kysely';
import type {
  PresentedCredential,
  ProviderKeyId,
  ProviderKeys,
  SealedKey,
} from '../../kernel/ports/records.ts';
import { lockAccount } from './accounts.ts';
import { requireCredential } from './require-credential.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { ProviderKeyRow } from './tables/accounts.ts';
import type { Tables } from './tables.ts';

const columns = [
  'account_id as accountId',
  'provider',
  'id',
  'name',
  'weight',
  'sealed_by as sealedBy',
  'sealed',
  'hint',
  'updated_at_ms as updatedAtMs',
] as const;

/** The first key of each provider is in `provider_keys`, the others are in `further_provider_keys`. */
export class SqlProviderKeys implements ProviderKeys {
  readonly #db: Kysely<Tables>;

  readonly #locksRows: boolean;

  constructor(db: Kysely<Tables>, sqlDialect: SqlDialect) {
    this.#db = db;
    this.#locksRows = sqlDialect.name === 'postgres';
  }

  put(key: SealedKey, shown?: PresentedCredential): Promise<void> {
    const row = toRow(key);
    const { sealed_by, sealed, hint, updated_at_ms } = row;
    return this.#write(key, shown, async (trx) => {
      await trx
        .insertInto('provider_keys')
        .values(row)
        .onConflict((conflict) =>
          conflict
            .columns(['account_id', 'provider'])
            .doUpdateSet({ sealed_by, sealed, hint, updated_at_ms }),
        )
        .execute();
    });
  }

  putIfAbsent(key: SealedKey, shown?: PresentedCredential): Promise<boolean> {
    return this.#write(key, shown, async (trx) => {
      const { numInsertedOrUpdatedRows } = await trx
        .insertInto('provider_keys')
        .values(toRow(key))
        .onConflict((conflict) => conflict.columns(['account_id', 'provider']).doNothing())
        .executeTakeFirstOrThrow();
      return numInsertedOrUpdatedRows === 1n;
    });
  }

  add(key: SealedKey, most: number, shown?: PresentedCredential): Promise<boolean> {
    const row = toRow(key);
    return this.#write(key, shown, async (trx) => {
      // An update that changes nothing: it locks the first key, so that the count stays valid until the insertion.
      const first = await trx
        .insertInto('provider_keys')
        .values(row)
        .onConflict((conflict) =>
          conflict.columns(['account_id', 'provider']).doUpdateSet({ provider: row.provider }),
        )
        .returning('id')
        .executeTakeFirstOrThrow();
      if (first.id === row.id) return true;
      const { others } = await trx
        .selectFrom('further_provider_keys')
        .select((the) => the.fn.countAll<number>().as('others'))
        .where('account_id', '=', row.account_id)
        .where('provider', '=', row.provider)
        .executeTakeFirstOrThrow();
      if (Number(others) + 1 >= most) return false;
      await trx.insertInto('further_provider_keys').values(row).execute();
      return true;
    });
  }

  list(accountId: string): Promise<readonly SealedKey[]> {
    return this.#db
      .selectFrom('provider_keys')
      .select(columns)
      .where('account_id', '=', accountId)
      .orderBy('provider')
      .execute();
  }

  async ofProvider(accountId: string, provider: string): Promise<readonly SealedKey[]> {
    const select = (table: 'provider_keys' | 'further_provider_keys', place: number) =>
      this.#db
        .selectFrom(table)
        .select([...columns, sql.lit(place).as('place')])
        .where('account_id', '=', accountId)
        .where('provider', '=', provider);
    const rows = await select('provider_keys', 0)
      .unionAll(select('further_provider_keys', 1))
      .orderBy('place')
      .orderBy('updatedAtMs')
      .orderBy('id')
      .execute();
    return rows.map(({ place: _, ...key }) => key);
  }

  async delete(accountId: string, provider: string): Promise<boolean> {
    const { numDeletedRows } = await this.#db
      .deleteFrom('provider_keys')
      .where('account_id', '=', accountId)
      .where('provider', '=', provider)
      .executeTakeFirstOrThrow();
    return numDeletedRows === 1n;
  }

  deleteOne({ accountId, provider, id }: ProviderKeyId): Promise<boolean> {
    return this.#db.transaction().execute(async (trx) => {
      const further = await deleteFurther(trx, { accountId, provider, id });
      if (further !== undefined) return true;
      const first = trx
        .selectFrom('provider_keys')
        .select('id')
        .where('account_id', '=', accountId)
        .where('provider', '=', provider);
      const locked = await (this.#locksRows ? first.forUpdate() : first).executeTakeFirst();
      if (locked?.id !== id) return false;
      const oldest = await trx
        .selectFrom('further_provider_keys')
        .select('id')
        .where('account_id', '=', accountId)
        .where('provider', '=', provider)
        .orderBy('updated_at_ms')
        .orderBy('id')
        .limit(1)
        .executeTakeFirst();
      const next = oldest && (await deleteFurther(trx, { accountId, provider, id: oldest.id }));
      const isFirst = { account_id: accountId, provider };
      await (next === undefined
        ? trx.deleteFrom('provider_keys').where((the) => the.and(isFirst))
        : trx
            .updateTable('provider_keys')
            .set(next)
            .where((the) => the.and(isFirst))
      ).execute();
      return true;
    });
  }

  notSealedBy(sealedBy: string, most: number): Promise<readonly SealedKey[]> {
    const select = (table: 'provider_keys' | 'further_provider_keys') =>
      this.#db.selectFrom(table).select(columns).where('sealed_by', '!=', sealedBy);
    return select('provider_keys')
      .unionAll(select('further_provider_keys'))
      .orderBy('accountId')
      .orderBy('provider')
      .orderBy('id')
      .limit(most)
      .execute();
  }

  async reseal(before: SealedKey, after: Pick<SealedKey, 'sealed' | 'sealedBy'>): Promise<boolean> {
    for (const table of ['provider_keys', 'further_provider_keys'] as const) {
      const { numUpdatedRows } = await this.#db
        .updateTable(table)
        .set({ sealed: after.sealed, sealed_by: after.sealedBy })
        .where('account_id', '=', before.accountId)
        .where('provider', '=', before.provider)
        .where('id', '=', before.id)
        .where('sealed_by', '=', before.sealedBy)
        .where('sealed', '=', before.sealed)
        .executeTakeFirstOrThrow();
      if (numUpdatedRows === 1n) return true;
    }
    return false;
  }

  /** Local mode has no accounts, so there is no credential to check. */
  #write<Result>(
    { accountId }: SealedKey,
    shown: PresentedCredential | undefined,
    write: (trx: Transaction<Tables>) => Promise<Result>,
  ): Promise<Result> {
    return this.#db.transaction().execute(async (trx) => {
      if (shown !== undefined) {
        await lockAccount(trx, this.#locksRows, accountId);
        await requireCredential(trx, accountId, shown);
      }
      return write(trx);
    });
  }
}

function deleteFurther(
  trx: Transaction<Tables>,
  { accountId, provider, id }: ProviderKeyId,
): Promise<ProviderKeyRow | undefined> {
  return trx
    .deleteFrom('further_provider_keys')
    .where('account_id', '=', accountId)
    .where('provider', '=', provider)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

function toRow(key: SealedKey): ProviderKeyRow {
  return {
    account_id: key.accountId,
    provider: key.provider,
    id: key.id,
    name: key.name,
    weight: key.weight,
    sealed_by: key.sealedBy,
    sealed: key.sealed,
    hint: key.hint,
    updated_at_ms: key.updatedAtMs,
  };
}
