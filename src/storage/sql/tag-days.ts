import { type Kysely, sql, type Transaction } from 'kysely';
import type { TagDay, UsageStore } from '../../kernel/ports/records.ts';
import { limits } from '../limits.ts';
import { selectRows } from './json-rows.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';
import { addStoredSums, usageSumAliases, usageSumColumns, usageSumValues } from './usage-columns.ts';

const keyColumns = ['account_id', 'day', 'tag', 'value'] as const;
const columns = [...keyColumns, ...usageSumColumns].join(', ');
const types = [...keyColumns.map(() => 'text' as const), ...usageSumColumns.map(() => 'bigint' as const)];
const sumsOfGroup = usageSumColumns.map((name) => `cast(sum(${name}) as bigint)`).join(', ');

export function tagDayKey({ accountId, day, tag, value }: TagDay): string {
  return JSON.stringify([accountId, day, tag, value]);
}

/**
 * Adds the sums to the existing rows. A new value of a tag has a row of its own while there are few; others are added to the
 * row with an empty value, or with an empty tag. Replicas that write at the same time may make some more.
 */
export async function writeTagDays(
  trx: Transaction<Tables>,
  sqlDialect: SqlDialect,
  days: readonly TagDay[],
): Promise<void> {
  const rows = days.map((day) => [day.accountId, day.day, day.tag, day.value, ...usageSumValues(day)]);
  const collation = sql.raw(sqlDialect.name === 'postgres' ? 'collate "C"' : '');
  const same = (one: string, other: string, names: readonly string[]) =>
    sql.join(
      names.map((name) => sql`${sql.ref(`${one}.${name}`)} = ${sql.ref(`${other}.${name}`)} ${collation}`),
      sql` and `,
    );
  await sql`with added (${sql.raw(columns)}) as (${selectRows(sqlDialect, types, rows)}),
    stored as (select tag_days.account_id, tag_days.day, tag_days.tag, count(*) as tag_values
      from (select distinct account_id, day from added) as days
      inner join tag_days on ${same('tag_days', 'days', ['account_id', 'day'])}
      group by tag_days.account_id, tag_days.day, tag_days.tag),
    known as (select added.*,
        exists (select 1 from tag_days where ${same('tag_days', 'added', keyColumns)}) as is_stored,
        coalesce((select tag_values from stored where ${same('stored', 'added', ['account_id', 'day', 'tag'])}), 0) as tag_values,
        coalesce((select sum(tag_values) from stored where ${same('stored', 'added', ['account_id', 'day'])}), 0) as all_values
      from added),
    numbered as (select known.*,
        tag_values + row_number() over (partition by account_id, day, tag, is_stored order by value) as at_of_tag,
        all_values + row_number() over (partition by account_id, day, is_stored order by tag, value) as at_of_all
      from known),
    kept as (select numbered.*,
        case when is_stored or at_of_all <= ${limits.tagDayRows} then tag else '' end as kept_tag,
        case when is_stored or (at_of_all <= ${limits.tagDayRows} and at_of_tag <= ${limits.tagValuesPerDay}) then value else '' end as kept_value
      from numbered)
    insert into tag_days (${sql.raw(columns)})
    select account_id, day, kept_tag, kept_value, ${sql.raw(sumsOfGroup)} from kept where true
      group by account_id, day, kept_tag, kept_value order by account_id, day, kept_tag, kept_value
    on conflict (${sql.raw(keyColumns.join(', '))}) do update set ${sql.raw(addStoredSums('tag_days'))}`.execute(
    trx,
  );
}

export function readTagDays(
  db: Kysely<Tables>,
  { accountId, from, to, tag }: Parameters<UsageStore['tags']>[0],
): Promise<readonly TagDay[]> {
  return db
    .selectFrom('tag_days')
    .select(['account_id as accountId', 'day', 'tag', 'value', ...usageSumAliases])
    .where('day', '>=', from)
    .where('day', '<=', to)
    .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId ?? ''))
    .$if(tag !== undefined, (query) => query.where('tag', '=', tag ?? ''))
    .orderBy('day')
    .orderBy('tag')
    .orderBy('value')
    .orderBy('account_id')
    .execute();
}

/** Deletes the sums of days before this one. */
export async function forgetTagDays(db: Kysely<Tables>, day: string): Promise<void> {
  await db.deleteFrom('tag_days').where('day', '<', day).execute();
}
