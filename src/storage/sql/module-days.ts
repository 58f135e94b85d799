import { type Kysely, sql, type Transaction } from 'kysely';
import type { ModuleDay, TrialSums, UsageStore } from '../../kernel/ports/records.ts';
import type { Tables } from './tables.ts';

type ModuleRow = Tables['module_days'];

export function moduleDayKey({ accountId, day, module }: ModuleDay): string {
  return JSON.stringify([accountId, day, module]);
}

export function addModuleDays(one: ModuleDay, other: ModuleDay): ModuleDay {
  return {
    ...one,
    calls: one.calls + other.calls,
    savedNanoUsd: one.savedNanoUsd + other.savedNanoUsd,
    spentNanoUsd: one.spentNanoUsd + other.spentNanoUsd,
    with: addTrialSums(one.with, other.with),
    without: addTrialSums(one.without, other.without),
  };
}

function addTrialSums(one: TrialSums, other: TrialSums): TrialSums {
  return {
    conversations: one.conversations + other.conversations,
    costNanoUsd: one.costNanoUsd + other.costNanoUsd,
    squaredUsd: one.squaredUsd + other.squaredUsd,
  };
}

/** Adds the sums to the existing rows. */
export async function writeModuleDays(trx: Transaction<Tables>, days: readonly ModuleDay[]): Promise<void> {
  const sum = (column: keyof ModuleRow) =>
    sql<number>`${sql.ref(`module_days.${column}`)} + ${sql.ref(`excluded.${column}`)}`;
  await trx
    .insertInto('module_days')
    .values(days.map(toRow))
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'day', 'module']).doUpdateSet({
        calls: sum('calls'),
        saved_nano_usd: sum('saved_nano_usd'),
        spent_nano_usd: sum('spent_nano_usd'),
        with_conversations: sum('with_conversations'),
        with_cost_nano_usd: sum('with_cost_nano_usd'),
        with_squared_usd: sum('with_squared_usd'),
        without_conversations: sum('without_conversations'),
        without_cost_nano_usd: sum('without_cost_nano_usd'),
        without_squared_usd: sum('without_squared_usd'),
      }),
    )
    .execute();
}

export async function readModuleDays(
  db: Kysely<Tables>,
  { accountId, from, to }: Parameters<UsageStore['modules']>[0],
): Promise<readonly ModuleDay[]> {
  const rows = await db
    .selectFrom('module_days')
    .selectAll()
    .where('day', '>=', from)
    .where('day', '<=', to)
    .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId ?? ''))
    .orderBy('day')
    .orderBy('module')
    .orderBy('account_id')
    .execute();
  return rows.map(fromRow);
}

function toRow(day: ModuleDay): ModuleRow {
  return {
    account_id: day.accountId,
    day: day.day,
    module: day.module,
    calls: day.calls,
    saved_nano_usd: day.savedNanoUsd,
    spent_nano_usd: day.spentNanoUsd,
    with_conversations: day.with.conversations,
    with_cost_nano_usd: day.with.costNanoUsd,
    with_squared_usd: day.with.squaredUsd,
    without_conversations: day.without.conversations,
    without_cost_nano_usd: day.without.costNanoUsd,
    without_squared_usd: day.without.squaredUsd,
  };
}

function fromRow(row: ModuleRow): ModuleDay {
  return {
    accountId: row.account_id,
    day: row.day,
    module: row.module,
    calls: row.calls,
    savedNanoUsd: row.saved_nano_usd,
    spentNanoUsd: row.spent_nano_usd,
    with: {
      conversations: row.with_conversations,
      costNanoUsd: row.with_cost_nano_usd,
      squaredUsd: row.with_squared_usd,
    },
    without: {
      conversations: row.without_conversations,
      costNanoUsd: row.without_cost_nano_usd,
      squaredUsd: row.without_squared_usd,
    },
  };
}
