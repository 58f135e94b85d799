import { type Kysely, sql } from 'kysely';
import { limits } from '../../kernel/limits.ts';
import type { Reservation, ReservationQuestion } from '../../kernel/ports/records.ts';
import { chunks } from './chunks.ts';
import type { Tables } from './tables.ts';

/** Each once. A process writes its own rows, one write after the other, so that nobody waits here for another. */
export async function writeReservations(
  db: Kysely<Tables>,
  reservations: readonly Reservation[],
): Promise<void> {
  const kept = reservations.filter(({ amount }) => amount > 0);
  for (const some of chunks(kept, limits.databaseRowsAtOnce))
    await db
      .insertInto('reservations')
      .values(some.map(toRow))
      .onConflict((conflict) =>
        conflict.columns(['account_id', 'what', 'key_id', 'period_start_ms', 'process_id']).doUpdateSet({
          amount: sql<number>`excluded.amount`,
          at_ms: sql<number>`excluded.at_ms`,
          until_ms: sql<number>`excluded.until_ms`,
        }),
      )
      .execute();
  const over = reservations.filter(({ amount }) => amount <= 0);
  for (const some of chunks(over, limits.databaseRowsAtOnce))
    await db
      .deleteFrom('reservations')
      .where(({ eb, refTuple, tuple }) =>
        eb(
          refTuple('account_id', 'what', 'key_id', 'period_start_ms', 'process_id'),
          'in',
          some.map((one) => tuple(one.accountId, one.of, one.keyId, one.periodStartMs, one.processId)),
        ),
      )
      .execute();
}

export async function readReservations(
  db: Kysely<Tables>,
  { accountId, of, keyId, periodStartMs }: ReservationQuestion,
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

function toRow(reservation: Reservation): Tables['reservations'] {
  return {
    account_id: reservation.accountId,
    what: reservation.of,
    key_id: reservation.keyId,
    period_start_ms: reservation.periodStartMs,
    process_id: reservation.processId,
    amount: reservation.amount,
    at_ms: reservation.atMs,
    until_ms: reservation.untilMs,
  };
}
