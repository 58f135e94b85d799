import { type Kysely, sql } from 'kysely';
import type {
  RecordingListItem,
  RecordingPage,
  RecordingQuery,
  RecordingRow,
  RecordingSearch,
  RecordingTable,
} from '../../kernel/ports/recordings.ts';
import { limits } from '../limits.ts';
import { isNotHeld } from './legal-holds.ts';
import { searchRecordings } from './recording-search.ts';
import type { Tables } from './tables.ts';

export class SqlRecordingTable implements RecordingTable {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async add(rows: readonly RecordingRow[], bytesMax: number): Promise<void> {
    const full = new Set<string>();
    for (const accountId of new Set(rows.map((row) => row.accountId)))
      if (await this.#isFull(accountId, bytesMax)) full.add(accountId);
    const fitting = rows.filter(
      ({ sealed, accountId }) => sealed.byteLength <= bytesMax && !full.has(accountId),
    );
    for (const some of chunksBySize(fitting)) await this.#insert(some);
    for (const accountId of new Set(fitting.map((row) => row.accountId)))
      await this.#dropOldest(accountId, bytesMax);
  }

  async #insert(rows: readonly RecordingRow[]): Promise<void> {
    await this.#db
      .insertInto('recordings')
      .values(
        rows.map(({ id, accountId, sealedBy, sealed }) => ({
          id,
          account_id: accountId,
          bytes: sealed.byteLength,
          sealed_by: sealedBy,
          sealed,
        })),
      )
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }

  /** Under a legal hold the oldest stay, and there is no room for others. */
  async #isFull(accountId: string, bytesMax: number): Promise<boolean> {
    const { rows } = await sql`select 1 from legal_holds where account_id = ${accountId}
      and (select sum(bytes) from recordings where account_id = ${accountId}) >= ${bytesMax}`.execute(
      this.#db,
    );
    return rows.length > 0;
  }

  /** If two replicas add at the same time, the later one sees the rows of both. */
  async #dropOldest(accountId: string, bytesMax: number): Promise<void> {
    const { sum } = await this.#db
      .selectFrom('recordings')
      .select(({ fn }) => fn.sum<number | null>('bytes').as('sum'))
      .where('account_id', '=', accountId)
      .executeTakeFirstOrThrow();
    for (let excess = Number(sum ?? 0) - bytesMax; excess > 0; ) {
      const oldest = await this.#db
        .selectFrom('recordings')
        .select(['id', 'bytes'])
        .where('account_id', '=', accountId)
        .where(isNotHeld('account_id'))
        .orderBy('id')
        .limit(limits.recordingRowsAtOnce)
        .execute();
      let last: string | undefined;
      for (const { id, bytes } of oldest) {
        if (excess <= 0) break;
        last = id;
        excess -= bytes;
      }
      if (last === undefined) return;
      await this.#db
        .deleteFrom('recordings')
        .where('account_id', '=', accountId)
        .where('id', '<=', last)
        .where(isNotHeld('account_id'))
        .execute();
    }
  }

  async find(accountId: string, id: string): Promise<RecordingRow | undefined> {
    return this.#db
      .selectFrom('recordings')
      .select(['id', 'account_id as accountId', 'sealed_by as sealedBy', 'sealed'])
      .where('id', '=', id)
      .where('account_id', '=', accountId)
      .executeTakeFirst();
  }

  page({ accountId, fromId, beforeId, limit }: RecordingQuery): Promise<readonly RecordingListItem[]> {
    return this.#db
      .selectFrom('recordings')
      .select(['id', 'bytes'])
      .where('account_id', '=', accountId)
      .where('id', '>=', fromId)
      .$if(beforeId !== undefined, (query) => query.where('id', '<', beforeId ?? ''))
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();
  }

  search(search: RecordingSearch): Promise<RecordingPage> {
    return searchRecordings(this.#db, search);
  }

  async remove(accountId: string, id: string): Promise<boolean> {
    const { numDeletedRows } = await this.#db
      .deleteFrom('recordings')
      .where('id', '=', id)
      .where('account_id', '=', accountId)
      .executeTakeFirstOrThrow();
    return numDeletedRows > 0n;
  }

  async forget(accountId: string): Promise<void> {
    for (;;) {
      const some = await this.#db
        .selectFrom('recordings')
        .select('id')
        .where('account_id', '=', accountId)
        .orderBy('id')
        .limit(limits.recordingRowsAtOnce)
        .execute();
      if (!(await this.#delete(some))) return;
    }
  }

  async forgetBefore(id: string): Promise<boolean> {
    const some = await this.#db
      .selectFrom('recordings')
      .select('id')
      .where('id', '<', id)
      .where(isNotHeld('account_id'))
      .orderBy('id')
      .limit(limits.recordingRowsAtOnce)
      .execute();
    return (await this.#delete(some)) && some.length === limits.recordingRowsAtOnce;
  }

  async #delete(rows: readonly { readonly id: string }[]): Promise<boolean> {
    if (rows.length === 0) return false;
    await this.#db
      .deleteFrom('recordings')
      .where(
        'id',
        'in',
        rows.map(({ id }) => id),
      )
      .where(isNotHeld('account_id'))
      .execute();
    return true;
  }

  async newestBeyond(bytesMax: number): Promise<string | undefined> {
    const { sum } = await this.#db
      .selectFrom('recordings')
      .select(({ fn }) => fn.sum<number | null>('bytes').as('sum'))
      .executeTakeFirstOrThrow();
    let excess = Number(sum ?? 0) - bytesMax;
    let last: string | undefined;
    while (excess > 0) {
      const after = last;
      const oldest = await this.#db
        .selectFrom('recordings')
        .select(['id', 'bytes'])
        .$if(after !== undefined, (query) => query.where('id', '>', after ?? ''))
        .where(isNotHeld('account_id'))
        .orderBy('id')
        .limit(limits.recordingRowsAtOnce)
        .execute();
      if (oldest.length === 0) break;
      for (const { id, bytes } of oldest) {
        if (excess <= 0) break;
        last = id;
        excess -= bytes;
      }
    }
    return last;
  }
}

/** Rows for one statement, limited by number and size. */
function* chunksBySize(rows: readonly RecordingRow[]): Iterable<readonly RecordingRow[]> {
  let chunk: RecordingRow[] = [];
  let bytes = 0;
  for (const row of rows) {
    const isFull = bytes + row.sealed.byteLength > limits.recordingBytesAtOnce;
    if (chunk.length > 0 && (isFull || chunk.length >= limits.recordingRowsAtOnce)) {
      yield chunk;
      [chunk, bytes] = [[], 0];
    }
    chunk.push(row);
    bytes += row.sealed.byteLength;
  }
  if (chunk.length > 0) yield chunk;
}
