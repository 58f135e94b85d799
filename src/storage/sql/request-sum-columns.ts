import { sql } from 'kysely';

/** What is added up of calls: as the tables call it, and as the port does. */
export const sumColumns = [
  ['requests', 'requests'],
  ['input_tokens', 'inputTokens'],
  ['output_tokens', 'outputTokens'],
  ['cache_read_tokens', 'cacheReadTokens'],
  ['cache_write_tokens', 'cacheWriteTokens'],
  ['cost_nano_usd', 'costNanoUsd'],
  ['saved_nano_usd', 'savedNanoUsd'],
] as const;

export const kindModel = sql`coalesce(request_kinds.model_used, request_kinds.model_asked)`;
export const kindIsFailed = flag(sql`request_kinds.status >= 400 or request_kinds.ending = 'failed'`);
export const kindIsCached = flag(sql`request_kinds.steps like '%:answered%'`);

/** PostgreSQL adds whole numbers up to what only a text can hold. */
export function whole(column: unknown) {
  return sql`cast(coalesce(sum(${column}), 0) as bigint)`;
}

function flag(condition: unknown) {
  return sql`case when ${condition} then 1 else 0 end`;
}
