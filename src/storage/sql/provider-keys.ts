import type { Kysely } from 'kysely';
import type { ProviderKeys, SealedKey } from '../../kernel/ports/records.ts';
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

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async put(key: SealedKey): Promise<void> {
    const { account_id, provider, ...rest } = toRow(key);
    await this.#db
      .insertInto('provider_keys')
      .values({ account_id, provider, ...rest })
      .onConflict((conflict) => conflict.columns(['account_id', 'provider']).doUpdateSet(rest))
      .execute();
  }

  async putFirst(key: SealedKey): Promise<boolean> {
    const { numInsertedOrUpdatedRows } = await this.#db
      .insertInto('provider_keys')
      .values(toRow(key))
      .onConflict((conflict) => conflict.columns(['account_id', 'provider']).doNothing())
      .executeTakeFirstOrThrow();
    return numInsertedOrUpdatedRows === 1n;
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
