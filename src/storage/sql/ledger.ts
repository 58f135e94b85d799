import { type Kysely, sql } from 'kysely';
import type { Ledger, LedgerLine, LedgerQuery } from '../../kernel/ports/payments.ts';
import type { Tables } from './tables.ts';

export class SqlLedger implements Ledger {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async add(line: LedgerLine): Promise<void> {
    await this.#db
      .insertInto('payment_ledger')
      .values({
        line_id: line.id,
        at_ms: line.atMs,
        route: line.route,
        amount: line.amount,
        currency: line.currency,
        receipt_hash: line.receiptHash,
      })
      .onConflict((conflict) => conflict.column('line_id').doNothing())
      .execute();
  }

  page({ after, limit }: LedgerQuery): Promise<readonly LedgerLine[]> {
    const newest = this.#db
      .selectFrom('payment_ledger')
      .select([
        'line_id as id',
        'at_ms as atMs',
        'route',
        'amount',
        'currency',
        'receipt_hash as receiptHash',
      ])
      .orderBy('at_ms', 'desc')
      .orderBy('line_id', 'desc')
      .limit(limit);
    if (after === undefined) return newest.execute();
    return newest.where(sql<boolean>`(at_ms, line_id) < (${after.atMs}, ${after.id})`).execute();
  }
}
