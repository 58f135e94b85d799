import { type Kysely, sql, type Transaction } from 'kysely';
import type { UsageDay, UsageDaysQuery } from '../../kernel/ports/records.ts';
import { selectRows } from './json-rows.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';
import {
  addStoredSums,
  areUsageSumsEqual,
  isInDays,
  usageSumColumns,
  usageSumsOfGroup,
  usageSumValues,
} from './usage-columns.ts';

const keyColumns = ['account_id', 'day', 'provider', 'model'] as const;
const columns = sql.raw([...keyColumns, ...usageSumColumns].join(', '));
const groupColumns = sql.raw(keyColumns.join(', '));
const sumsOfGroup = sql.raw(usageSumColumns.map((name) => `cast(sum(${name}) as bigint)`).join(', '));
const types = [...keyColumns.map(() => 'text' as const), ...usageSumColumns.map(() => 'bigint' as const)];

export function modelDayKey({ accountId, day, provider, model }: UsageDay): string {
  return JSON.stringify([accountId, day, provider, model]);
}

/** Adds the sums to the existing rows. */
export async function writeModelDays(
  trx: Transaction<Tables>,
  sqlDialect: SqlDialect,
  days: readonly UsageDay[],
): Promise<void> {
  const rows = days.map((row) => [row.accountId, row.day, row.provider, row.model, ...usageSumValues(row)]);
  await sql`insert into usage_model_days (${columns}) ${selectRows(sqlDialect, types, rows)}
    on conflict (${groupColumns}) do update set ${sql.raw(addStoredSums('usage_model_days'))}`.execute(trx);
}

/** Makes those days again that a writer without this table has added to: an import, or a replica of an older version. */
export async function remakeModelDays(
  db: Kysely<Tables>,
  { name }: SqlDialect,
  query: Omit<UsageDaysQuery, 'keyIds'>,
): Promise<void> {
  const dayTotals = (table: 'usage_days' | 'usage_model_days') =>
    db
      .selectFrom(table)
      .select('day')
      .select(usageSumsOfGroup)
      .where(isInDays(query))
      .groupBy('day')
      .execute();
  const made = new Map((await dayTotals('usage_model_days')).map((total) => [total.day, total]));
  for (const total of await dayTotals('usage_days')) {
    const same = made.get(total.day);
    if (same !== undefined && areUsageSumsEqual(same, total)) continue;
    const ofDay = isInDays({ ...query, from: total.day, to: total.day });
    await db.transaction().execute(async (trx) => {
      // Usage that is stored meanwhile waits to be added to these days.
      if (name === 'postgres')
        await sql`lock table usage_model_days in share row exclusive mode`.execute(trx);
      await trx.deleteFrom('usage_model_days').where(ofDay).execute();
      await sql`insert into usage_model_days (${columns}) select ${groupColumns}, ${sumsOfGroup} from usage_days
        where ${ofDay} group by ${groupColumns}`.execute(trx);
    });
  }
}
