import type { Kysely } from 'kysely';
import type { BatchLease, OwnBatch, OwnBatches, OwnBatchState } from '../../kernel/ports/own-batches.ts';
import { limits } from '../limits.ts';
import { toBatch, toBatchRow } from './own-batch-rows.ts';
import type { Tables } from './tables.ts';

export class SqlOwnBatches implements OwnBatches {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async add(batch: OwnBatch): Promise<void> {
    await this.#db.insertInto('own_batches').values(toBatchRow(batch)).execute();
  }

  async find(accountId: string, ids: readonly string[]): Promise<readonly OwnBatch[]> {
    if (ids.length === 0) return [];
    const rows = await this.#db
      .selectFrom('own_batches')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('id', 'in', ids)
      .execute();
    return rows.map(toBatch);
  }

  async list(accountId: string, most: number): Promise<readonly OwnBatch[]> {
    const rows = await this.#db
      .selectFrom('own_batches')
      .selectAll()
      .where('account_id', '=', accountId)
      .orderBy('made_at_ms', 'desc')
      .orderBy('id', 'desc')
      .limit(most)
      .execute();
    return rows.map(toBatch);
  }

  async cancel(accountId: string, id: string): Promise<void> {
    await this.#db
      .updateTable('own_batches')
      .set({ state: 'cancelling' })
      .where('account_id', '=', accountId)
      .where('id', '=', id)
      .where('state', '=', 'in_progress')
      .execute();
  }

  async take({
    holder,
    nowMs,
    untilMs,
    most,
  }: BatchLease & { readonly most: number }): Promise<readonly OwnBatch[]> {
    const free = await this.#db
      .selectFrom('own_batches')
      .select(['id', 'account_id'])
      .where('ended_at_ms', 'is', null)
      .where('lease_until_ms', '<=', nowMs)
      .orderBy('lease_until_ms')
      .orderBy('made_at_ms')
      .limit(limits.ownBatchesAtOnce)
      .execute();
    const first = new Map(free.toReversed().map(({ id, account_id }) => [account_id, id]));
    const taken: OwnBatch[] = [];
    for (const id of first.values()) {
      if (taken.length >= most) break;
      const mine = await this.#db
        .updateTable('own_batches')
        .set({ holder, lease_until_ms: untilMs })
        .where('id', '=', id)
        .where('ended_at_ms', 'is', null)
        .where('lease_until_ms', '<=', nowMs)
        .returningAll()
        .executeTakeFirst();
      if (mine !== undefined) taken.push(toBatch(mine));
    }
    return taken;
  }

  async renew({ holder, untilMs }: BatchLease, ids: readonly string[]): Promise<readonly OwnBatch[]> {
    if (ids.length === 0) return [];
    const rows = await this.#db
      .updateTable('own_batches')
      .set({ lease_until_ms: untilMs })
      .where('holder', '=', holder)
      .where('id', 'in', ids)
      .returningAll()
      .execute();
    return rows.map(toBatch);
  }

  async release(holder: string): Promise<void> {
    await this.#db
      .updateTable('own_batches')
      .set({ holder: '', lease_until_ms: 0 })
      .where('holder', '=', holder)
      .execute();
  }

  async end(
    { id }: Pick<OwnBatch, 'id'>,
    holder: string,
    { state, atMs }: { readonly state: OwnBatchState; readonly atMs: number },
  ): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('own_batches')
      .set({ state, ended_at_ms: atMs, holder: '' })
      .where('id', '=', id)
      .where('holder', '=', holder)
      .executeTakeFirstOrThrow();
    return numUpdatedRows === 1n;
  }

  async bytesOf(accountId: string): Promise<number> {
    const { bytes } = await this.#db
      .selectFrom('own_batches')
      .select(({ fn }) => fn.sum<number | null>('result_bytes').as('bytes'))
      .where('account_id', '=', accountId)
      .executeTakeFirstOrThrow();
    return Number(bytes ?? 0);
  }

  async clean(endedMs: number): Promise<boolean> {
    const batches = await this.#db
      .selectFrom('own_batches')
      .select('id')
      .where('ended_at_ms', '<=', endedMs)
      .limit(limits.ownBatchesAtOnce)
      .execute();
    for (const { id } of batches) await this.#delete(id);
    return batches.length > 0;
  }

  async forget(accountId: string): Promise<void> {
    const batches = await this.#db
      .selectFrom('own_batches')
      .select('id')
      .where('account_id', '=', accountId)
      .execute();
    for (const { id } of batches) await this.#delete(id);
  }

  /** It ends first, so that nothing is added to what is being deleted; after a kill in between it is deleted again. */
  async #delete(id: string): Promise<void> {
    await this.#db
      .updateTable('own_batches')
      .set({ state: 'cancelled', ended_at_ms: 0, holder: '' })
      .where('id', '=', id)
      .execute();
    for (;;) {
      const { numDeletedRows } = await this.#db
        .deleteFrom('own_batch_lines')
        .where('batch_id', '=', id)
        .where('number', 'in', (the) =>
          the
            .selectFrom('own_batch_lines')
            .select('number')
            .where('batch_id', '=', id)
            .limit(limits.ownBatchLinesAtOnce),
        )
        .executeTakeFirstOrThrow();
      if (numDeletedRows === 0n) break;
    }
    await this.#db.deleteFrom('own_batches').where('id', '=', id).execute();
  }
}
