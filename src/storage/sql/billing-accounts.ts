import { type Kysely, sql } from 'kysely';
import type {
  AutoRecharge,
  BillingAccount,
  BillingAccounts,
  SubscriptionState,
} from '../../kernel/ports/billing.ts';
import { defaultRecharge } from '../../kernel/ports/billing.ts';
import type { TierId } from '../../kernel/ports/records.ts';
import type { Tables } from './tables.ts';

const defaultRow = {
  customer_id: null,
  subscription_id: null,
  past_due_since_ms: null,
  revision: 0,
  auto_recharge: 0,
  threshold: defaultRecharge.threshold,
  amount: defaultRecharge.amount,
  off_reason: null,
  failures: 0,
  next_try_ms: 0,
} as const;

export class SqlBillingAccounts implements BillingAccounts {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async get(accountId: string): Promise<BillingAccount> {
    return (
      (await this.#find('account_id', accountId)) ??
      toBillingAccount({ account_id: accountId, ...defaultRow })
    );
  }

  byCustomer(customerId: string): Promise<BillingAccount | undefined> {
    return this.#find('customer_id', customerId);
  }

  async linkCustomer(accountId: string, customerId: string): Promise<string> {
    await this.#db
      .insertInto('billing_accounts')
      .values({ account_id: accountId, ...defaultRow, customer_id: customerId })
      .onConflict((conflict) =>
        conflict
          .column('account_id')
          .doUpdateSet({ customer_id: sql`coalesce(billing_accounts.customer_id, excluded.customer_id)` }),
      )
      .execute();
    return (await this.get(accountId)).customerId ?? customerId;
  }

  async replaceCustomer(accountId: string, goneId: string, customerId: string): Promise<string> {
    await this.#db
      .updateTable('billing_accounts')
      .set({ customer_id: customerId })
      .where('account_id', '=', accountId)
      .where('customer_id', '=', goneId)
      .execute();
    return (await this.get(accountId)).customerId ?? customerId;
  }

  applySubscription(
    accountId: string,
    revision: number,
    subscriptionState: SubscriptionState,
  ): Promise<boolean> {
    return this.#db.transaction().execute(async (trx) => {
      const { numUpdatedRows } = await trx
        .updateTable('billing_accounts')
        .set({
          subscription_id: subscriptionState.subscriptionId,
          past_due_since_ms: subscriptionState.pastDueSinceMs,
          revision: revision + 1,
        })
        .where('account_id', '=', accountId)
        .where('revision', '=', revision)
        .executeTakeFirstOrThrow();
      if (numUpdatedRows === 0n) return false;
      await trx
        .updateTable('users')
        .set({
          tier: subscriptionState.tier,
          period_start_ms: subscriptionState.period?.startMs ?? null,
          period_end_ms: subscriptionState.period?.endMs ?? null,
          tier_ends_ms: subscriptionState.tierEndsMs ?? null,
        })
        .where('id', '=', accountId)
        .execute();
      return true;
    });
  }

  async setTier(accountId: string, tier: TierId): Promise<void> {
    await this.#db
      .updateTable('users')
      .set({ tier, period_start_ms: null, period_end_ms: null, tier_ends_ms: null })
      .where('id', '=', accountId)
      .execute();
  }

  async setOverage(accountId: string, enabled: boolean): Promise<void> {
    await this.#db
      .updateTable('users')
      .set({ overage: Number(enabled) })
      .where('id', '=', accountId)
      .execute();
  }

  async setAutoRecharge(
    accountId: string,
    { enabled, threshold, amount, reason }: AutoRecharge,
  ): Promise<void> {
    const set = {
      auto_recharge: Number(enabled),
      threshold,
      amount,
      off_reason: reason,
      failures: 0,
      next_try_ms: 0,
    };
    await this.#db
      .insertInto('billing_accounts')
      .values({ account_id: accountId, ...defaultRow, ...set })
      .onConflict((conflict) => conflict.column('account_id').doUpdateSet(set))
      .execute();
  }

  async stopAutoRecharge(accountId: string, reason: string): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('billing_accounts')
      .set({ auto_recharge: 0, off_reason: reason })
      .where('account_id', '=', accountId)
      .where('auto_recharge', '=', 1)
      .executeTakeFirstOrThrow();
    return numUpdatedRows === 1n;
  }

  async backOff(accountId: string, nextTryMs: number): Promise<void> {
    await this.#db
      .updateTable('billing_accounts')
      .set({ failures: sql<number>`failures + 1`, next_try_ms: nextTryMs })
      .where('account_id', '=', accountId)
      .execute();
  }

  async page(afterId: string, limit: number): Promise<readonly BillingAccount[]> {
    const rows = await this.#db
      .selectFrom('billing_accounts')
      .selectAll()
      .where('account_id', '>', afterId)
      .where('customer_id', 'is not', null)
      .orderBy('account_id')
      .limit(limit)
      .execute();
    return rows.map(toBillingAccount);
  }

  async hasEvent(eventId: string): Promise<boolean> {
    const row = await this.#db
      .selectFrom('billing_events')
      .select('event_id')
      .where('event_id', '=', eventId)
      .executeTakeFirst();
    return row !== undefined;
  }

  async recordEvent({ id, atMs, forgetMs }: Parameters<BillingAccounts['recordEvent']>[0]): Promise<void> {
    await this.#db.deleteFrom('billing_events').where('at_ms', '<', forgetMs).execute();
    await this.#db
      .insertInto('billing_events')
      .values({ event_id: id, at_ms: atMs })
      .onConflict((conflict) => conflict.column('event_id').doNothing())
      .execute();
  }

  async #find(column: 'account_id' | 'customer_id', value: string): Promise<BillingAccount | undefined> {
    const row = await this.#db
      .selectFrom('billing_accounts')
      .selectAll()
      .where(column, '=', value)
      .executeTakeFirst();
    return row && toBillingAccount(row);
  }
}

function toBillingAccount(row: Tables['billing_accounts']): BillingAccount {
  return {
    accountId: row.account_id,
    customerId: row.customer_id,
    subscriptionId: row.subscription_id,
    pastDueSinceMs: row.past_due_since_ms,
    revision: row.revision,
    autoRecharge: {
      enabled: row.auto_recharge === 1,
      threshold: row.threshold,
      amount: row.amount,
      reason: row.off_reason,
    },
    failures: row.failures,
  };
}
