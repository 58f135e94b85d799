import type { Kysely } from 'kysely';
import type { LedgerLine } from '../../kernel/ports/payments.ts';
import type {
  Settlement,
  SettlementLease,
  SettlementOutcome,
  Settlements,
  TakeOverBounds,
} from '../../kernel/ports/settlements.ts';
import { SqlLedger } from './ledger.ts';
import type { Tables } from './tables.ts';

export class SqlSettlements implements Settlements {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async open({ id, challengeId, attempt, intent, atMs, holder, untilMs }: Settlement): Promise<void> {
    await this.#db
      .insertInto('settlements')
      .values({
        id,
        challenge_id: challengeId,
        attempt,
        intent,
        at_ms: atMs,
        holder,
        until_ms: untilMs,
        outcome: null,
      })
      .execute();
  }

  async recordIntent(id: string, intent: string): Promise<void> {
    await this.#db.updateTable('settlements').set({ intent }).where('id', '=', id).execute();
  }

  async renew(ids: readonly string[], { holder, untilMs }: SettlementLease): Promise<void> {
    if (ids.length === 0) return;
    await this.#db
      .updateTable('settlements')
      .set({ until_ms: untilMs })
      .where('id', 'in', [...ids])
      .where('holder', '=', holder)
      .where('outcome', 'is', null)
      .execute();
  }

  async outcome(id: string): Promise<SettlementOutcome | null | undefined> {
    const row = await this.#db
      .selectFrom('settlements')
      .select('outcome')
      .where('id', '=', id)
      .executeTakeFirst();
    return row?.outcome;
  }

  serve(id: string, holder: string, line: LedgerLine): Promise<boolean> {
    return this.#db.transaction().execute(async (trx) => {
      const { numUpdatedRows } = await trx
        .updateTable('settlements')
        .set({ outcome: 'served' })
        .where('id', '=', id)
        .where('holder', '=', holder)
        .where('outcome', 'is', null)
        .executeTakeFirstOrThrow();
      if (numUpdatedRows !== 1n) return false;
      await new SqlLedger(trx).add(line);
      return true;
    });
  }

  giveBack(
    { id, challengeId, attempt }: Pick<Settlement, 'id' | 'challengeId' | 'attempt'>,
    outcome: 'cancelled' | 'refunded',
  ): Promise<boolean> {
    return this.#db.transaction().execute(async (trx) => {
      const { numUpdatedRows } = await trx
        .updateTable('settlements')
        .set({ outcome })
        .where('id', '=', id)
        .where('outcome', 'is', null)
        .executeTakeFirstOrThrow();
      if (numUpdatedRows !== 1n) return false;
      // Leaves a later attempt with the same challenge alone.
      await trx
        .updateTable('payment_challenges')
        .set({ consumed_at_ms: null })
        .where('id', '=', challengeId)
        .where('attempts', '=', attempt)
        .execute();
      return true;
    });
  }

  async takeOver({ holder, nowMs, untilMs, most }: TakeOverBounds): Promise<readonly Settlement[]> {
    const left = await this.#db
      .selectFrom('settlements')
      .select([
        'id',
        'challenge_id as challengeId',
        'attempt',
        'intent',
        'at_ms as atMs',
        'holder',
        'until_ms as untilMs',
      ])
      .where('outcome', 'is', null)
      .where('until_ms', '<=', nowMs)
      .orderBy('until_ms')
      .limit(most)
      .execute();
    const taken: Settlement[] = [];
    for (const settlement of left) {
      const { numUpdatedRows } = await this.#db
        .updateTable('settlements')
        .set({ holder, until_ms: untilMs })
        .where('id', '=', settlement.id)
        .where('until_ms', '=', settlement.untilMs)
        .where('outcome', 'is', null)
        .executeTakeFirstOrThrow();
      if (numUpdatedRows === 1n) taken.push({ ...settlement, holder, untilMs });
    }
    return taken;
  }

  async tidy({ beforeMs, most }: { readonly beforeMs: number; readonly most: number }): Promise<void> {
    const tooOld = await this.#db
      .selectFrom('settlements')
      .select('at_ms')
      .orderBy('at_ms', 'desc')
      .offset(most)
      .limit(1)
      .executeTakeFirst();
    await this.#db
      .deleteFrom('settlements')
      .where('at_ms', '<=', Math.max(tooOld?.at_ms ?? 0, beforeMs))
      .where('outcome', 'is not', null)
      .execute();
  }
}
