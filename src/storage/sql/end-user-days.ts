import { type Kysely, sql } from 'kysely';
import type { EndUserSums, EndUsersQuery } from '../../kernel/ports/request-log.ts';
import { limits } from '../limits.ts';
import { isNotHeld } from './legal-holds.ts';
import { sumAsBigint, sumColumns } from './request-sum-columns.ts';
import type { Tables } from './tables.ts';

const dayMs = 86_400_000;

/** The end users of these UTC days with the highest cost, for each account. Reads them in the order of the key, without sorting. */
export async function listEndUsers(
  db: Kysely<Tables>,
  { accountId, fromMs, toMs, limit }: EndUsersQuery,
): Promise<readonly EndUserSums[]> {
  const sums = sumColumns.map(([column, name]) => sql`${sumAsBigint(sql.ref(column))} as ${sql.id(name)}`);
  const { rows } =
    await sql<EndUserSums>`select end_user as "endUser", ${sumAsBigint(sql.ref('failed'))} as "failed", ${sql.join(sums)}
    from end_user_days where at_ms >= ${Math.floor(fromMs / dayMs) * dayMs} and at_ms < ${toMs}
      ${accountId === undefined ? sql`` : sql`and account_id = ${accountId}`}
    group by account_id, end_user order by sum(cost_nano_usd) desc, end_user limit ${limit}`.execute(db);
  return rows;
}

/** Deletes days that are expired, in parts, so that other queries don't wait for the whole. */
export async function forgetEndUsers(db: Kysely<Tables>, beforeMs: number): Promise<void> {
  const expired = sql`at_ms < ${Math.floor(beforeMs / dayMs) * dayMs} and ${isNotHeld('account_id')}`;
  for (;;) {
    const { numAffectedRows = 0n } = await sql`delete from end_user_days
      where (account_id, end_user, at_ms) in (select account_id, end_user, at_ms from end_user_days
        where ${expired} limit ${limits.requestLogSearchRows})`.execute(db);
    if (numAffectedRows < limits.requestLogSearchRows) return;
  }
}
