import type { Kysely } from 'kysely';
import type { AccountOwner, Accounts } from '../../kernel/ports/identities.ts';
import type { Account, Period, TierId } from '../../kernel/ports/records.ts';
import { recordDeletions } from './erasures.ts';
import { endSessionsAndResetLinks } from './identities.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';

export class SqlAccounts implements Accounts {
  readonly #db: Kysely<Tables>;
  readonly #locksRows: boolean;

  constructor(db: Kysely<Tables>, sqlDialect: SqlDialect) {
    this.#db = db;
    this.#locksRows = sqlDialect.name === 'postgres';
  }

  async byId(accountId: string): Promise<Account | undefined> {
    const row = await this.#db
      .selectFrom('users')
      .select(accountColumns)
      .where('id', '=', accountId)
      .executeTakeFirst();
    return row && toAccount(row);
  }

  erase({ accountId, identityId, passwordHash }: AccountOwner, atMs: number): Promise<boolean> {
    return this.#db.transaction().execute(async (trx) => {
      // The account's row before the person's, as everywhere.
      if (this.#locksRows)
        await trx.selectFrom('users').select('id').where('id', '=', accountId).forUpdate().execute();
      const owner = await trx
        .selectFrom('identities')
        .innerJoin('memberships', 'memberships.identity_id', 'identities.id')
        .select('identities.id')
        .where('identities.id', '=', identityId)
        .where('password_hash', 'is not distinct from', passwordHash ?? null)
        .where('memberships.account_id', '=', accountId)
        .where('role', '=', 'owner')
        .$if(this.#locksRows, (query) => query.forUpdate())
        .executeTakeFirst();
      if (owner === undefined) return false;
      await trx.insertInto('erasures').values({ account_id: accountId, pass: 0, next_at_ms: atMs }).execute();
      await recordDeletions(trx, [{ accountId, deletedAtMs: atMs }]);
      await endSessionsAndResetLinks(trx, identityId);
      await trx.deleteFrom('sessions').where('account_id', '=', accountId).execute();
      await trx.deleteFrom('api_keys').where('account_id', '=', accountId).execute();
      // A trigger deletes the memberships, and the person with the account's id.
      await trx.deleteFrom('users').where('id', '=', accountId).execute();
      return true;
    });
  }
}

export const accountColumns = [
  'users.id as user_id',
  'users.tier',
  'users.period_start_ms',
  'users.period_end_ms',
  'users.tier_ends_ms',
  'users.overage',
] as const;

interface AccountRow {
  readonly user_id: string;
  readonly tier: string;
  readonly period_start_ms: number | null;
  readonly period_end_ms: number | null;
  readonly tier_ends_ms: number | null;
  readonly overage: number;
}

export function toAccount(row: AccountRow): Account {
  return {
    id: row.user_id,
    tier: tierOf(row.tier),
    period: periodOf(row.period_start_ms, row.period_end_ms),
    ...(row.tier_ends_ms !== null && { tierEndsMs: row.tier_ends_ms }),
    ...(row.overage === 1 && { overage: true }),
  };
}

const tiers: readonly string[] = ['free', 'pro', 'team'] satisfies readonly TierId[];

function tierOf(name: string): TierId {
  if (!isTier(name))
    throw new Error(
      `the database has an account of tier "${name}", which this version of Weir does not know`,
    );
  return name;
}

function isTier(name: string): name is TierId {
  return tiers.includes(name);
}

function periodOf(startMs: number | null, endMs: number | null): Period | undefined {
  return startMs === null || endMs === null ? undefined : { startMs, endMs };
}
