import type { Kysely } from 'kysely';
import type {
  LineResult,
  NextLine,
  OwnBatch,
  OwnBatchLines,
  SealedLine,
} from '../../kernel/ports/own-batches.ts';
import type { Tables } from './tables.ts';

export class SqlOwnBatchLines implements OwnBatchLines {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async nextLine({ id, calls }: OwnBatch, nowMs: number): Promise<NextLine> {
    const waiting = await this.#db
      .selectFrom('own_batch_lines')
      .select(['number', 'attempts', 'due_at_ms'])
      .where('batch_id', '=', id)
      .where('state', '=', 'waiting')
      .orderBy('due_at_ms')
      .limit(1)
      .executeTakeFirst();
    if (waiting !== undefined && waiting.due_at_ms <= nowMs)
      return { number: waiting.number, attempts: waiting.attempts };
    const last = await this.#db
      .selectFrom('own_batch_lines')
      .select('number')
      .where('batch_id', '=', id)
      .orderBy('number', 'desc')
      .limit(1)
      .executeTakeFirst();
    const next = (last?.number ?? -1) + 1;
    if (next < calls) return { number: next, attempts: 0 };
    return waiting && { dueAtMs: waiting.due_at_ms };
  }

  async claim({ id }: Pick<OwnBatch, 'id'>, number: number, holder: string): Promise<boolean> {
    const { numInsertedOrUpdatedRows = 0n } = await this.#db
      .insertInto('own_batch_lines')
      .columns(['batch_id', 'number', 'state', 'attempts', 'due_at_ms'])
      .expression((the) =>
        the
          .selectFrom('own_batches')
          .select([
            'own_batches.id',
            the.val(number).as('number'),
            the.val('claimed').as('state'),
            the.lit(1).as('attempts'),
            the.lit(0).as('due_at_ms'),
          ])
          .where('own_batches.id', '=', id)
          .where('own_batches.holder', '=', holder)
          .where('own_batches.state', '=', 'in_progress'),
      )
      .onConflict((conflict) =>
        conflict
          .columns(['batch_id', 'number'])
          .doUpdateSet((the) => ({
            state: 'claimed',
            attempts: the('own_batch_lines.attempts', '+', 1),
          }))
          .where('own_batch_lines.state', '=', 'waiting'),
      )
      .executeTakeFirstOrThrow();
    return numInsertedOrUpdatedRows === 1n;
  }

  async postpone({ id }: Pick<OwnBatch, 'id'>, number: number, dueAtMs: number): Promise<void> {
    await this.#db
      .updateTable('own_batch_lines')
      .set({ state: 'waiting', due_at_ms: dueAtMs })
      .where('batch_id', '=', id)
      .where('number', '=', number)
      .where('state', '=', 'claimed')
      .execute();
  }

  finish({ id }: Pick<OwnBatch, 'id'>, result: LineResult): Promise<boolean> {
    const { number, hasAnswer, sealedBy, sealed } = result;
    return this.#db.transaction().execute(async (trx) => {
      const { numUpdatedRows } = await trx
        .updateTable('own_batch_lines')
        .set({ state: endOf(hasAnswer), sealed_by: sealedBy, sealed })
        .where('batch_id', '=', id)
        .where('number', '=', number)
        .where('state', '=', 'claimed')
        .executeTakeFirstOrThrow();
      if (numUpdatedRows === 0n) return false;
      await addEnds(trx, id, [result]);
      return true;
    });
  }

  async claimed(batchId: string): Promise<readonly number[]> {
    const rows = await this.#db
      .selectFrom('own_batch_lines')
      .select('number')
      .where('batch_id', '=', batchId)
      .where('state', '=', 'claimed')
      .execute();
    return rows.map(({ number }) => number);
  }

  async unfinished({ id, fileId }: OwnBatch, from: number, most: number): Promise<readonly number[]> {
    const rows = await this.#db
      .selectFrom('call_file_lines')
      .select('number')
      .where('file_id', '=', fileId)
      .where('number', '>=', from)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('own_batch_lines')
              .select('own_batch_lines.number')
              .where('own_batch_lines.batch_id', '=', id)
              .whereRef('own_batch_lines.number', '=', 'call_file_lines.number')
              .where('own_batch_lines.state', 'in', ['answered', 'failed']),
          ),
        ),
      )
      .orderBy('number')
      .limit(most)
      .execute();
    return rows.map(({ number }) => number);
  }

  fill({ id }: Pick<OwnBatch, 'id'>, results: readonly LineResult[]): Promise<void> {
    return this.#db.transaction().execute(async (trx) => {
      const stored = await trx
        .insertInto('own_batch_lines')
        .values(
          results.map(({ number, hasAnswer, sealedBy, sealed }) => ({
            batch_id: id,
            number,
            state: endOf(hasAnswer),
            attempts: 0,
            due_at_ms: 0,
            sealed_by: sealedBy,
            sealed,
          })),
        )
        .onConflict((conflict) =>
          conflict
            .columns(['batch_id', 'number'])
            .doUpdateSet((the) => ({
              state: the.ref('excluded.state'),
              sealed_by: the.ref('excluded.sealed_by'),
              sealed: the.ref('excluded.sealed'),
            }))
            .where('own_batch_lines.state', '=', 'waiting'),
        )
        .returning('number')
        .execute();
      const numbers = new Set(stored.map(({ number }) => number));
      await addEnds(
        trx,
        id,
        results.filter(({ number }) => numbers.has(number)),
      );
    });
  }

  async results(
    batchId: string,
    hasAnswer: boolean,
    { after, most }: { readonly after: number; readonly most: number },
  ): Promise<readonly SealedLine[]> {
    const rows = await this.#db
      .selectFrom('own_batch_lines')
      .select(['number', 'sealed_by', 'sealed'])
      .where('batch_id', '=', batchId)
      .where('state', '=', endOf(hasAnswer))
      .where('number', '>', after)
      .orderBy('number')
      .limit(most)
      .execute();
    return rows.flatMap(({ number, sealed_by: sealedBy, sealed }) =>
      sealedBy === null || sealed === null ? [] : { number, sealedBy, sealed },
    );
  }

  async remove(batchId: string, hasAnswer: boolean): Promise<void> {
    await this.#db
      .deleteFrom('own_batch_lines')
      .where('batch_id', '=', batchId)
      .where('state', '=', endOf(hasAnswer))
      .execute();
  }
}

function endOf(hasAnswer: boolean): string {
  return hasAnswer ? 'answered' : 'failed';
}

async function addEnds(db: Kysely<Tables>, id: string, results: readonly LineResult[]): Promise<void> {
  const answered = results.filter(({ hasAnswer }) => hasAnswer).length;
  const cost = results.reduce((sum, { costNanoUsd }) => sum + costNanoUsd, 0);
  const bytes = results.reduce((sum, { sealed }) => sum + sealed.byteLength, 0);
  await db
    .updateTable('own_batches')
    .set((the) => ({
      completed: the('completed', '+', answered),
      failed: the('failed', '+', results.length - answered),
      cost_nano_usd: the('cost_nano_usd', '+', cost),
      result_bytes: the('result_bytes', '+', bytes),
    }))
    .where('id', '=', id)
    .execute();
}
