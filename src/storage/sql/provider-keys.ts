import type { Kysely, Transaction } from 'kysely';
import type { PresentedCredential, ProviderKeys, SealedKey } from '../../kernel/ports/records.ts';
import { requireCredential } from './require-credential.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';

const columns = [
  'account_id as accountId',
  'provider',
  'sealed_by as sealedBy',
  'sealed',
  'hint',
  'updated_at_ms as updatedAtMs',
] as const;

export class SqlProviderKeys implements ProviderKeys {
  readonly #db: Kysely<Tables>;

  readonly #locksRows: boolean;

  constructor(db: Kysely<Tables>, sqlDialect: SqlDialect) {
    this.#db = db;
    this.#locksRows = sqlDialect.name === 'postgres';
  }

  put(key: SealedKey, shown?: PresentedCredential): Promise<void> {
    const { account_id, provider, ...rest } = toRow(key);
    return this.#withCredentialCheck(key, shown, async (db) => {
      await db
        .insertInto('provider_keys')
        .values({ account_id, provider, ...rest })
        .onConflict((conflict) => conflict.columns(['account_id', 'provider']).doUpdateSet(rest))
        .execute();
    });
  }

  putIfAbsent(key: SealedKey, shown?: PresentedCredential): Promise<boolean> {
    return this.#withCredentialCheck(key, shown, async (db) => {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('provider_keys')
        .values(toRow(key))
        .onConflict((conflict) => conflict.columns(['account_id', 'provider']).doNothing())
        .executeTakeFirstOrThrow();
      return numInsertedOrUpdatedRows === 1n;
    });
  }

  get(accountId: string, provider: string): Promise<SealedKey | undefined> {
    return this.#db
      .selectFrom('provider_keys')
      .select(columns)
      .where('account_id', '=', accountId)
      .where('provider', '=', provider)
      .executeTakeFirst();
  }

  list(accountId: string): Promise<readonly SealedKey[]> {
    return this.#db
      .selectFrom('provider_keys')
      .select(columns)
      .where('account_id', '=', accountId)
      .orderBy('provider')
      .execute();
  }

  async delete(accountId: string, provider: string): Promise<boolean> {
    const { numDeletedRows } = await this.#db
      .deleteFrom('provider_keys')
      .where('account_id', '=', accountId)
      .where('provider', '=', provider)
      .executeTakeFirstOrThrow();
    return numDeletedRows === 1n;
  }

  notSealedBy(sealedBy: string, most: number): Promise<readonly SealedKey[]> {
    return this.#db
      .selectFrom('provider_keys')
      .select(columns)
      .where('sealed_by', '!=', sealedBy)
      .orderBy('account_id')
      .orderBy('provider')
      .limit(most)
      .execute();
  }

  async reseal(before: SealedKey, after: Pick<SealedKey, 'sealed' | 'sealedBy'>): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('provider_keys')
      .set({ sealed: after.sealed, sealed_by: after.sealedBy })
      .where('account_id', '=', before.accountId)
      .where('provider', '=', before.provider)
      .where('sealed_by', '=', before.sealedBy)
      .where('sealed', '=', before.sealed)
      .executeTakeFirstOrThrow();
    return numUpdatedRows === 1n;
  }

  /** Local mode has no accounts, so there is nothing to check. */
  #withCredentialCheck<Result>(
    { accountId }: SealedKey,
    shown: PresentedCredential | undefined,
    write: (db: Kysely<Tables> | Transaction<Tables>) => Promise<Result>,
  ): Promise<Result> {
    if (shown === undefined) return write(this.#db);
    return this.#db.transaction().execute(async (trx) => {
      if (this.#locksRows)
        await trx.selectFrom('users').select('id').where('id', '=', accountId).forUpdate().execute();
      await requireCredential(trx, accountId, shown);
      return write(trx);
    });
  }
}

function toRow(key: SealedKey): Tables['provider_keys'] {
  return {
    account_id: key.accountId,
    provider: key.provider,
    sealed_by: key.sealedBy,
    sealed: key.sealed,
    hint: key.hint,
    updated_at_ms: key.updatedAtMs,
  };
}
