import { type Kysely, sql, type Transaction } from 'kysely';
import {
  type ActiveServiceToken,
  type ServiceAccount,
  type ServiceAccounts,
  type ServiceRole,
  type ServiceToken,
  serviceRoles,
} from '../../kernel/ports/service-accounts.ts';
import { lockAccount } from './accounts.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';

const columns = [
  'id',
  'account_id as accountId',
  'name',
  'role',
  'created_at_ms as createdAtMs',
  'disabled_at_ms as disabledAtMs',
] as const;

const tokenColumns = [
  'service_account_tokens.id',
  'service_account_tokens.service_account_id as serviceAccountId',
  'service_account_tokens.account_id as accountId',
  'service_account_tokens.hash',
  'service_account_tokens.created_at_ms as createdAtMs',
  'service_account_tokens.used_at_ms as usedAtMs',
  'service_account_tokens.expires_at_ms as expiresAtMs',
] as const;

export class SqlServiceAccounts implements ServiceAccounts {
  readonly #db: Kysely<Tables>;
  readonly #locksRows: boolean;

  constructor(db: Kysely<Tables>, sqlDialect: SqlDialect) {
    this.#db = db;
    this.#locksRows = sqlDialect.name === 'postgres';
  }

  add(one: ServiceAccount, most: number): Promise<'added' | 'name_taken' | 'limit_reached'> {
    const { id, accountId, name, role, createdAtMs, disabledAtMs } = one;
    return this.#locked(accountId, async (trx) => {
      const names = await trx
        .selectFrom('service_accounts')
        .select('name')
        .where('account_id', '=', accountId)
        .execute();
      if (names.some((other) => other.name === name)) return 'name_taken';
      if (names.length >= most) return 'limit_reached';
      await trx
        .insertInto('service_accounts')
        .values({
          ...{ id, account_id: accountId, name, role },
          ...{ created_at_ms: createdAtMs, disabled_at_ms: disabledAtMs },
        })
        .execute();
      return 'added';
    });
  }

  async find(accountId: string, id: string): Promise<ServiceAccount | undefined> {
    const row = await this.#db
      .selectFrom('service_accounts')
      .select(columns)
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .executeTakeFirst();
    return row && { ...row, role: serviceRoleOf(row.role) };
  }

  async list(accountId: string): Promise<readonly ServiceAccount[]> {
    const rows = await this.#db
      .selectFrom('service_accounts')
      .select(columns)
      .where('account_id', '=', accountId)
      .orderBy('name')
      .execute();
    return rows.map((row) => ({ ...row, role: serviceRoleOf(row.role) }));
  }

  change(
    accountId: string,
    id: string,
    { name, role, disabledAtMs }: Partial<Pick<ServiceAccount, 'name' | 'role' | 'disabledAtMs'>>,
  ): Promise<'changed' | 'unknown' | 'name_taken'> {
    return this.#locked(accountId, async (trx) => {
      const mine = sql<boolean>`account_id = ${accountId} and id = ${id}`;
      const taken =
        name !== undefined &&
        (await trx
          .selectFrom('service_accounts')
          .select('id')
          .where(sql<boolean>`account_id = ${accountId} and name = ${name} and id <> ${id}`)
          .executeTakeFirst());
      if (taken !== false && taken !== undefined) return 'name_taken';
      const changed = await trx
        .updateTable('service_accounts')
        .set({
          // Never without a column.
          account_id: accountId,
          ...(name !== undefined && { name }),
          ...(role !== undefined && { role }),
          ...(disabledAtMs !== undefined && { disabled_at_ms: disabledAtMs }),
        })
        .where(mine)
        .returning('id')
        .executeTakeFirst();
      return changed === undefined ? 'unknown' : 'changed';
    });
  }

  remove(accountId: string, id: string): Promise<boolean> {
    return this.#locked(accountId, async (trx) => {
      const { numDeletedRows } = await trx
        .deleteFrom('service_accounts')
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      if (numDeletedRows === 0n) return false;
      await trx.deleteFrom('service_account_tokens').where('service_account_id', '=', id).execute();
      await trx
        .deleteFrom('project_members')
        .where('account_id', '=', accountId)
        .where('member_id', '=', id)
        .execute();
      return true;
    });
  }

  addToken(token: ServiceToken, most: number): Promise<'added' | 'unknown' | 'limit_reached'> {
    const { id, serviceAccountId, accountId, hash, createdAtMs, usedAtMs, expiresAtMs } = token;
    return this.#locked(accountId, async (trx) => {
      const owner = await trx
        .selectFrom('service_accounts')
        .select('id')
        .where('account_id', '=', accountId)
        .where('id', '=', serviceAccountId)
        .executeTakeFirst();
      if (owner === undefined) return 'unknown';
      const own = await trx
        .selectFrom('service_account_tokens')
        .select('id')
        .where('service_account_id', '=', serviceAccountId)
        .execute();
      if (own.length >= most) return 'limit_reached';
      await trx
        .insertInto('service_account_tokens')
        .values({
          ...{ id, service_account_id: serviceAccountId, account_id: accountId, hash },
          ...{ created_at_ms: createdAtMs, used_at_ms: usedAtMs, expires_at_ms: expiresAtMs },
        })
        .execute();
      return 'added';
    });
  }

  tokens(accountId: string): Promise<readonly ServiceToken[]> {
    return this.#db
      .selectFrom('service_account_tokens')
      .select(tokenColumns)
      .where('account_id', '=', accountId)
      .orderBy('created_at_ms')
      .orderBy('id')
      .execute();
  }

  async removeToken({
    accountId,
    serviceAccountId,
    id,
  }: Pick<ServiceToken, 'accountId' | 'serviceAccountId' | 'id'>): Promise<boolean> {
    const { numDeletedRows } = await this.#db
      .deleteFrom('service_account_tokens')
      .where('account_id', '=', accountId)
      .where('service_account_id', '=', serviceAccountId)
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    return numDeletedRows === 1n;
  }

  async byHash(hash: string, nowMs: number): Promise<ActiveServiceToken | undefined> {
    const row = await this.#db
      .selectFrom('service_account_tokens')
      .innerJoin('service_accounts', 'service_accounts.id', 'service_account_tokens.service_account_id')
      .innerJoin('users', 'users.id', 'service_account_tokens.account_id')
      .select([...tokenColumns, 'service_accounts.role'])
      .where('hash', '=', hash)
      .where('service_accounts.disabled_at_ms', 'is', null)
      .where('users.disabled_at_ms', 'is', null)
      .executeTakeFirst();
    if (row === undefined || (row.expiresAtMs !== null && row.expiresAtMs <= nowMs)) return undefined;
    return { ...row, role: serviceRoleOf(row.role) };
  }

  async touch(tokenId: string, atMs: number): Promise<void> {
    await this.#db
      .updateTable('service_account_tokens')
      .set({ used_at_ms: atMs })
      .where('id', '=', tokenId)
      .execute();
  }

  /** Serializes with other changes of the account. */
  #locked<Result>(accountId: string, change: (trx: Transaction<Tables>) => Promise<Result>): Promise<Result> {
    return this.#db.transaction().execute(async (trx) => {
      await lockAccount(trx, this.#locksRows, accountId);
      return change(trx);
    });
  }
}

function serviceRoleOf(name: string): ServiceRole {
  const role = serviceRoles.find((known) => known === name);
  if (role === undefined)
    throw new Error(`a service account has the role "${name}", which this version of Weir does not know`);
  return role;
}
