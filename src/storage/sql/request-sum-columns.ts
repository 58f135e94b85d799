import { type RawBuilder, sql } from 'kysely';
import { amountColumns } from './request-log-row.ts';

/** The number of calls and their summed figures. */
export const sumColumns = [['requests', 'requests'], ...amountColumns] as const;

export const kindModel = sql`coalesce(request_kinds.model_used, request_kinds.model_asked)`;
export const kindIsFailed = flag(sql`request_kinds.status >= 400 or request_kinds.ending = 'failed'`);
export const kindIsCached = flag(sql`request_kinds.steps like '%:answered%'`);

/** Tables whose key begins with the time. */
const timeFirstTables = [
  ...(['request_sums', 'request_times', 'request_steps', 'request_step_times'] as const),
];
export type TimeFirstTable = (typeof timeFirstTables)[number];

export function isTimeFirst(table: string): table is TimeFirstTable {
  return timeFirstTables.some((name) => name === table);
}

interface TimeRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A condition on rows of one account. It looks an account up at each time that the table has, and skips the others. */
export function isOfAccount(
  table: TimeFirstTable,
  accountId: string,
  timeRange?: TimeRange,
): RawBuilder<unknown> {
  const [rows, at] = [sql.table(table), sql.ref(`${table}.at_ms`)];
  const { fromMs, toMs } = timeRange ?? { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };
  const next = (after: RawBuilder<unknown>) =>
    sql`select min(${at}) from ${rows} where ${after} and ${at} < ${toMs}`;
  return sql`${sql.ref(`${table}.account_id`)} = ${accountId} and ${at} in (
    with recursive times (time) as (
      ${next(sql`${at} >= ${fromMs}`)} union all select (${next(sql`${at} > times.time`)}) from times where time is not null)
    select time from times where time is not null)`;
}

/** PostgreSQL returns the sum of bigints as numeric, which the driver reads as text. */
export function sumAsBigint(column: unknown) {
  return sql`cast(coalesce(sum(${column}), 0) as bigint)`;
}

function flag(condition: unknown) {
  return sql`case when ${condition} then 1 else 0 end`;
}
