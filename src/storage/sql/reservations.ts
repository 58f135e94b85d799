import { type Kysely, type RawBuilder, sql } from 'kysely';
import { limits } from '../../kernel/limits.ts';
import type { Reservation, ReservationQuery, SettledAmount } from '../../kernel/ports/records.ts';
import { chunks } from './chunks.ts';
import { selectRows } from './json-rows.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { Tables } from './tables.ts';

/** Each reservation must occur once. A process writes only its own rows, sequentially, so writers never block each other. */
export async function writeReservations(
  db: Kysely<Tables>,
  sqlDialect: SqlDialect,
  reservations: readonly Reservation[],
): Promise<void> {
  const nonZero = reservations.filter(({ amount }) => amount > 0);
  for (const some of chunks(nonZero, limits.databaseRowsAtOnce))
    await upsertStatement(sqlDialect, some).execute(db);
  const over = reservations.filter(({ amount }) => amount <= 0);
  for (const some of chunks(over, limits.databaseRowsAtOnce))
    await sql`delete from reservations where (account_id, what, key_id, period_start_ms, process_id) in
      (${selectRows(sqlDialect, keyTypes, some.map(keyOf))})`.execute(db);
}

/** For reservations of dead processes: no other writer has their amounts in memory. */
export async function lowerReservations(
  db: Kysely<Tables>,
  settled: readonly SettledAmount[],
): Promise<void> {
  for (const { accountId, of, keyId, periodStartMs, processId, amount } of settled)
    await db
      .updateTable('reservations')
      .set({ amount: sql<number>`amount - ${amount}` })
      .where('account_id', '=', accountId)
      .where('what', '=', of)
      .where('key_id', '=', keyId)
      .where('period_start_ms', '=', periodStartMs)
      .where('process_id', '=', processId)
      .execute();
  const processIds = [...new Set(settled.map(({ processId }) => processId))];
  if (processIds.length > 0)
    await db
      .deleteFrom('reservations')
      .where('process_id', 'in', processIds)
      .where('amount', '<=', 0)
      .execute();
}

export async function readReservations(
  db: Kysely<Tables>,
  { accountId, of, keyId, periodStartMs }: ReservationQuery,
): Promise<readonly Reservation[]> {
  const rows = await db
    .selectFrom('reservations')
    .select(['process_id', 'amount', 'at_ms', 'until_ms'])
    .where('account_id', '=', accountId)
    .where('what', '=', of)
    .where('key_id', '=', keyId)
    .where('period_start_ms', '=', periodStartMs)
    .orderBy('process_id')
    .execute();
  return rows.map(({ process_id, amount, at_ms, until_ms }) => ({
    processId: process_id,
    accountId,
    of,
    keyId,
    periodStartMs,
    amount,
    atMs: at_ms,
    untilMs: until_ms,
  }));
}

const keyTypes = ['text', 'text', 'text', 'bigint', 'text'] as const;

function keyOf({ accountId, of, keyId, periodStartMs, processId }: Reservation) {
  return [accountId, of, keyId, periodStartMs, processId];
}

/** Raw SQL, because calls wait for it and the query builder takes a tenth of a millisecond. */
function upsertStatement(sqlDialect: SqlDialect, reservations: readonly Reservation[]): RawBuilder<unknown> {
  const rows = reservations.map((one) => [...keyOf(one), one.amount, one.atMs, one.untilMs]);
  return sql`insert into reservations
    (account_id, what, key_id, period_start_ms, process_id, amount, at_ms, until_ms)
    ${selectRows(sqlDialect, [...keyTypes, 'bigint', 'bigint', 'bigint'], rows)}
    on conflict (account_id, what, key_id, period_start_ms, process_id)
    do update set amount = excluded.amount, at_ms = excluded.at_ms, until_ms = excluded.until_ms`;
}
