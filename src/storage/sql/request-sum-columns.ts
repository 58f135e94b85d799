import { sql } from 'kysely';
import { amountColumns } from './request-log-row.ts';

/** The number of calls and their summed figures. */
export const sumColumns = [['requests', 'requests'], ...amountColumns] as const;

export const kindModel = sql`coalesce(request_kinds.model_used, request_kinds.model_asked)`;
export const kindIsFailed = flag(sql`request_kinds.status >= 400 or request_kinds.ending = 'failed'`);
export const kindIsCached = flag(sql`request_kinds.steps like '%:answered%'`);

/** PostgreSQL returns the sum of bigints as numeric, which the driver reads as text. */
export function sumAsBigint(column: unknown) {
  return sql`cast(coalesce(sum(${column}), 0) as bigint)`;
}

function flag(condition: unknown) {
  return sql`case when ${condition} then 1 else 0 end`;
}
