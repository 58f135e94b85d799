import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { ErrorSums, LogErrorsQuery } from '../../kernel/ports/request-log.ts';
import { kindsCondition } from './request-kind-filter.ts';
import { isOfAccount, sumAsBigint } from './request-sum-columns.ts';
import { readUnfolded } from './request-sums-folding.ts';
import type { Tables } from './tables.ts';

/** Few kinds of calls fail, so they are found first, and each is a range of the past sums. */
export function readErrorSums(db: Kysely<Tables>, query: LogErrorsQuery): Promise<readonly ErrorSums[]> {
  return readUnfolded(db, async () => [
    ...(await readTable(db, 'request_sums', query)),
    ...(await readTable(db, 'request_past_sums', query)),
  ]);
}

async function readTable(
  db: Kysely<Tables>,
  table: 'request_sums' | 'request_past_sums',
  query: LogErrorsQuery,
): Promise<readonly ErrorSums[]> {
  const { accountId, fromMs, toMs, stepMs } = query;
  const at = sql.ref(`${table}.at_ms`);
  const inTime =
    table === 'request_sums' && accountId !== undefined
      ? isOfAccount(table, accountId, query)
      : sql`${at} >= ${fromMs} and ${at} < ${toMs}`;
  // SQLite preserves the order of a cross join.
  const tables =
    table === 'request_sums'
      ? sql`request_sums cross join request_kinds`
      : sql`request_kinds cross join request_past_sums`;
  const { rows } = await sql<ErrorSums>`
    select (${at} - ${sql.lit(fromMs)}) / ${sql.lit(stepMs)} as "step", request_kinds.provider as "provider",
      request_kinds.status as "status", request_kinds.ending as "ending", request_kinds.error_code as "errorCode",
      request_kinds.provider_error as "providerError", ${sumAsBigint(sql.ref(`${table}.requests`))} as "requests"
    from ${tables}
    where ${sql.ref(`${table}.kind`)} = request_kinds.kind and ${sql.ref(`${table}.account_id`)} = request_kinds.account_id
      and ${failedKinds(query)} and ${inTime}
    group by 1, 2, 3, 4, 5, 6`.execute(db);
  return rows;
}

function failedKinds({ accountId, filter }: LogErrorsQuery): RawBuilder<unknown> {
  const failed = kindsCondition({ accountId, filter: { status: 'error' } });
  const matching = kindsCondition({ accountId, filter });
  return sql.join(
    [failed, matching].filter((condition) => condition !== undefined),
    sql` and `,
  );
}
