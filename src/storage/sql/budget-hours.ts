import { type Kysely, sql, type Transaction } from 'kysely';
import type { BudgetHour, UsageStore } from '../../kernel/ports/records.ts';
import { selectRows } from './json-rows.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';

const types = ['text', 'text', 'text', 'bigint', 'bigint'] as const;

export function budgetHourKey({ accountId, budgetId, value, hourMs }: BudgetHour): string {
  return JSON.stringify([accountId, budgetId, value, hourMs]);
}

export function addBudgetHours(one: BudgetHour, other: BudgetHour): BudgetHour {
  return { ...one, costNanoUsd: one.costNanoUsd + other.costNanoUsd };
}

export async function writeBudgetHours(
  trx: Transaction<Tables>,
  sqlDialect: SqlDialect,
  hours: readonly BudgetHour[],
): Promise<void> {
  const rows = hours.map((hour) => [
    hour.accountId,
    hour.budgetId,
    hour.value,
    hour.hourMs,
    hour.costNanoUsd,
  ]);
  await sql`insert into budget_hours (account_id, budget_id, value, hour_ms, cost_nano_usd)
    ${selectRows(sqlDialect, types, rows)}
    on conflict (account_id, budget_id, value, hour_ms)
    do update set cost_nano_usd = budget_hours.cost_nano_usd + excluded.cost_nano_usd`.execute(trx);
}

export function readBudgetHours(
  db: Kysely<Tables>,
  { accountId, budgetId, value, fromMs }: Parameters<UsageStore['budgetHours']>[0],
): Promise<readonly BudgetHour[]> {
  return db
    .selectFrom('budget_hours')
    .select([
      'account_id as accountId',
      'budget_id as budgetId',
      'value',
      'hour_ms as hourMs',
      'cost_nano_usd as costNanoUsd',
    ])
    .where('account_id', '=', accountId)
    .where('budget_id', '=', budgetId)
    .where('hour_ms', '>=', fromMs)
    .$if(value !== undefined, (query) => query.where('value', '=', value ?? ''))
    .orderBy('value')
    .orderBy('hour_ms')
    .execute();
}

/** Deletes hours before this time. */
export async function forgetBudgetHours(db: Kysely<Tables>, beforeMs: number): Promise<void> {
  await db.deleteFrom('budget_hours').where('hour_ms', '<', beforeMs).execute();
}
