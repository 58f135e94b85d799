import { type Kysely, sql } from 'kysely';
import type { PaidAnswer, PaidAnswers, SealedContent } from '../../kernel/ports/paid-answers.ts';
import type { Tables } from './tables.ts';

export class SqlPaidAnswers implements PaidAnswers {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async find(name: string): Promise<PaidAnswer | undefined> {
    const row = await this.#db
      .selectFrom('paid_answers')
      .selectAll()
      .where('name', '=', name)
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const { sealed_by: sealedBy, sealed } = row;
    return {
      name,
      digest: row.digest,
      untilMs: row.until_ms,
      expiresAtMs: row.expires_at_ms,
      makings: row.makings,
      settlementId: row.settlement_id,
      content: sealedBy === null || sealed === null ? null : { sealedBy, sealed: new Uint8Array(sealed) },
      isWhole: row.whole === 1,
    };
  }

  async claim({
    name,
    digest,
    untilMs,
    expiresAtMs,
  }: Pick<PaidAnswer, 'name' | 'digest' | 'untilMs' | 'expiresAtMs'>): Promise<boolean> {
    const { numInsertedOrUpdatedRows } = await this.#db
      .insertInto('paid_answers')
      .values({
        name,
        digest,
        until_ms: untilMs,
        expires_at_ms: expiresAtMs,
        makings: 1,
        settlement_id: null,
        sealed_by: null,
        sealed: null,
        bytes: 0,
        whole: 0,
      })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .executeTakeFirstOrThrow();
    return numInsertedOrUpdatedRows === 1n;
  }

  async takeOver(left: Pick<PaidAnswer, 'name' | 'untilMs'>, untilMs: number): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('paid_answers')
      .set({ until_ms: untilMs, makings: sql<number>`makings + 1` })
      .where('name', '=', left.name)
      .where('until_ms', '=', left.untilMs)
      .where('whole', '=', 0)
      .executeTakeFirstOrThrow();
    return numUpdatedRows === 1n;
  }

  async renew(names: readonly string[], untilMs: number): Promise<void> {
    if (names.length === 0) return;
    await this.#db
      .updateTable('paid_answers')
      .set({ until_ms: untilMs })
      .where('name', 'in', [...names])
      .where('whole', '=', 0)
      .execute();
  }

  async markPaid(name: string, settlementId: string, { sealedBy, sealed }: SealedContent): Promise<void> {
    await this.#db
      .updateTable('paid_answers')
      .set({ settlement_id: settlementId, sealed_by: sealedBy, sealed, bytes: sealed.byteLength })
      .where('name', '=', name)
      .execute();
  }

  async storeWhole(name: string, { sealedBy, sealed }: SealedContent): Promise<void> {
    await this.#db
      .updateTable('paid_answers')
      .set({ whole: 1, sealed_by: sealedBy, sealed, bytes: sealed.byteLength })
      .where('name', '=', name)
      .execute();
  }

  async forget(name: string, untilMs?: number): Promise<void> {
    const left = this.#db.deleteFrom('paid_answers').where('name', '=', name).where('whole', '=', 0);
    await (untilMs === undefined ? left : left.where('until_ms', '=', untilMs)).execute();
  }

  async tidy({ nowMs, most, bytesMost }: { nowMs: number; most: number; bytesMost: number }): Promise<void> {
    await this.#db.deleteFrom('paid_answers').where('expires_at_ms', '<=', nowMs).execute();
    const { rows } = await sql<{ expires_at_ms: number }>`
      select expires_at_ms from (
        select expires_at_ms,
          row_number() over newest as place,
          sum(bytes) over newest as sum_bytes
        from paid_answers
        window newest as (order by expires_at_ms desc, name desc rows unbounded preceding)
      ) as placed
      where place > ${most} or sum_bytes > ${bytesMost}
      order by expires_at_ms desc limit 1`.execute(this.#db);
    const [tooMany] = rows;
    if (tooMany === undefined) return;
    await this.#db
      .deleteFrom('paid_answers')
      .where('expires_at_ms', '<=', Number(tooMany.expires_at_ms))
      .where('whole', '=', 1)
      .execute();
  }
}
