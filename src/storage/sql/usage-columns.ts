import { sql } from 'kysely';
import type { UsageDaysQuery, UsageSums } from '../../kernel/ports/records.ts';
import { isOneOf } from './request-kind-filter.ts';

/** The sums of usage: column name and property name. */
const sums = [
  ['requests', 'requests'],
  ['failed', 'failed'],
  ['input_tokens', 'inputTokens'],
  ['output_tokens', 'outputTokens'],
  ['cache_read_tokens', 'cacheReadTokens'],
  ['cache_write_tokens', 'cacheWriteTokens'],
  ['cost_nano_usd', 'costNanoUsd'],
] as const;

export const usageSumColumns = sums.map(([column]) => column);

/** To select the columns as properties. */
export const usageSumAliases = [
  ...(['requests', 'failed', 'input_tokens as inputTokens', 'output_tokens as outputTokens'] as const),
  ...(['cache_read_tokens as cacheReadTokens', 'cache_write_tokens as cacheWriteTokens'] as const),
  ...(['cost_nano_usd as costNanoUsd'] as const),
];

/** To select the sums of a group as properties. */
export const usageSumsOfGroup = sums.map(([column, name]) =>
  sql<number>`cast(sum(${sql.ref(column)}) as bigint)`.as(name),
);

/** In the order of the columns. */
export function usageSumValues(row: UsageSums): readonly number[] {
  return sums.map(([, name]) => row[name]);
}

/** The changes of a row of this table that is there already. */
export function addStoredSums(table: string): string {
  return usageSumColumns.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(', ');
}

export function areUsageSumsEqual(one: UsageSums, other: UsageSums): boolean {
  return sums.every(([, name]) => one[name] === other[name]);
}

/** A condition for rows of days. */
export function isInDays({ accountId, keyIds, from, to }: UsageDaysQuery) {
  const conditions = [sql`day >= ${from} and day <= ${to}`];
  if (accountId !== undefined) conditions.push(sql`account_id = ${accountId}`);
  if (keyIds !== undefined) conditions.push(isOneOf(sql`key_id`, keyIds));
  return sql<boolean>`${sql.join(conditions, sql` and `)}`;
}
