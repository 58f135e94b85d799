import type { Kysely } from 'kysely';
import type { DueRechargeQuery, Recharge, RechargeLimit, Recharges } from '../../kernel/ports/billing.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';

const columns = [
  'id',
  'account_id as accountId',
  'customer_id as customerId',
  'method',
  'credits',
  'at_ms as atMs',
  'until_ms as untilMs',
] as const;

export class SqlRecharges implements Recharges {
  readonly #db: Kysely<Tables>;
  readonly #locksRows: boolean;

  constructor(db: Kysely<Tables>, sqlDialect: SqlDialect) {
    this.#db = db;
    this.#locksRows = sqlDialect.name === 'postgres';
  }

  /** Blocks other recharges of the account, so that the checks stay valid until this one is inserted. */
  open(recharge: Recharge, most: RechargeLimit): Promise<boolean> {
    const { id, accountId, customerId, method, credits, atMs, untilMs } = recharge;
    return this.#db.transaction().execute(async (trx) => {
      if (this.#locksRows)
        await trx
          .selectFrom('billing_accounts')
          .select('account_id')
          .where('account_id', '=', accountId)
          .forUpdate()
          .execute();
      const [needed] = await selectDueAccounts(trx, { nowMs: atMs, most, accountId }).execute();
      if (needed?.amount !== credits) return false;
      await trx
        .insertInto('recharges')
        .values({
          id,
          account_id: accountId,
          customer_id: customerId,
          method,
          credits,
          at_ms: atMs,
          until_ms: untilMs,
          state: 'open',
        })
        .execute();
      return true;
    });
  }

  decline(id: string, reason: string): Promise<boolean> {
    return this.#db.transaction().execute(async (trx) => {
      const recharge = await trx
        .updateTable('recharges')
        .set({ state: 'declined' })
        .where('id', '=', id)
        .where('state', '=', 'open')
        .returning('account_id')
        .executeTakeFirst();
      if (recharge === undefined) return false;
      await trx
        .updateTable('billing_accounts')
        .set({ auto_recharge: 0, off_reason: reason })
        .where('account_id', '=', recharge.account_id)
        .execute();
      return true;
    });
  }

  async abandon(id: string): Promise<void> {
    await this.#db
      .updateTable('recharges')
      .set({ state: 'never charged' })
      .where('id', '=', id)
      .where('state', '=', 'open')
      .execute();
  }

  async postpone(id: string, untilMs: number): Promise<void> {
    await this.#db.updateTable('recharges').set({ until_ms: untilMs }).where('id', '=', id).execute();
  }

  async takeOver({
    nowMs,
    untilMs,
    most,
  }: Parameters<Recharges['takeOver']>[0]): Promise<readonly Recharge[]> {
    const left = await this.#db
      .selectFrom('recharges')
      .select(columns)
      .where('state', '=', 'open')
      .where('until_ms', '<=', nowMs)
      .orderBy('until_ms')
      .limit(most)
      .execute();
    const taken: Recharge[] = [];
    for (const recharge of left) {
      const { numUpdatedRows } = await this.#db
        .updateTable('recharges')
        .set({ until_ms: untilMs })
        .where('id', '=', recharge.id)
        .where('until_ms', '=', recharge.untilMs)
        .where('state', '=', 'open')
        .executeTakeFirstOrThrow();
      if (numUpdatedRows === 1n) taken.push({ ...recharge, untilMs });
    }
    return taken;
  }

  async due({ limit, ...query }: DueRechargeQuery): Promise<readonly string[]> {
    const rows = await selectDueAccounts(this.#db, query).orderBy('next_try_ms').limit(limit).execute();
    return rows.map(({ account_id }) => account_id);
  }
}

/** Paid accounts whose credits are below their threshold and that have no open recharge or retry delay. */
function selectDueAccounts(db: Kysely<Tables>, { nowMs, most, accountId }: Omit<DueRechargeQuery, 'limit'>) {
  return db
    .selectFrom('billing_accounts')
    .innerJoin('users', 'users.id', 'billing_accounts.account_id')
    .leftJoin('credit_balances', 'credit_balances.account_id', 'billing_accounts.account_id')
    .select(['billing_accounts.account_id', 'billing_accounts.amount'])
    .where('auto_recharge', '=', 1)
    .where('next_try_ms', '<=', nowMs)
    .where('tier', '<>', 'free')
    .where((the) => the.or([the('tier_ends_ms', 'is', null), the('tier_ends_ms', '>', nowMs)]))
    .whereRef((the) => the.fn.coalesce('credit_balances.credits', the.lit(0)), '<', 'threshold')
    .where((the) =>
      the.not(
        the.exists(
          the
            .selectFrom('recharges')
            .select('id')
            .whereRef('recharges.account_id', '=', 'billing_accounts.account_id')
            .where('state', '=', 'open'),
        ),
      ),
    )
    .where(
      (the) =>
        the
          .selectFrom('recharges')
          .select((of) => of.fn.countAll<number>().as('made'))
          .whereRef('recharges.account_id', '=', 'billing_accounts.account_id')
          .where('at_ms', '>', most.sinceMs)
          .where('state', '<>', 'never charged'),
      '<',
      most.recharges,
    )
    .$if(accountId !== undefined, (query) =>
      query.where('billing_accounts.account_id', '=', accountId ?? ''),
    );
}
