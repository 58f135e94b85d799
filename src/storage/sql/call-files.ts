import type { Kysely } from 'kysely';
import type { CallFile, CallFiles, SealedLine } from '../../kernel/ports/own-batches.ts';
import { limits } from '../limits.ts';
import { openStates, toFile, toFileRow } from './own-batch-rows.ts';
import type { Tables } from './tables.ts';

export class SqlCallFiles implements CallFiles {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async add(file: CallFile): Promise<void> {
    await this.#db.insertInto('call_files').values(toFileRow(file)).execute();
  }

  async addLines(fileId: string, lines: readonly SealedLine[]): Promise<void> {
    await this.#db
      .insertInto('call_file_lines')
      .values(
        lines.map(({ number, sealedBy, sealed }) => ({
          file_id: fileId,
          number,
          sealed_by: sealedBy,
          sealed,
        })),
      )
      .execute();
  }

  async complete(file: CallFile): Promise<void> {
    await this.#db.updateTable('call_files').set(toFileRow(file)).where('id', '=', file.id).execute();
  }

  async find(accountId: string, id: string): Promise<CallFile | undefined> {
    const row = await this.#db
      .selectFrom('call_files')
      .selectAll()
      .where('id', '=', id)
      .where('account_id', '=', accountId)
      .executeTakeFirst();
    return row && toFile(row);
  }

  async remove(accountId: string, id: string): Promise<boolean> {
    const user = await this.#db
      .selectFrom('own_batches')
      .select('id')
      .where('account_id', '=', accountId)
      .where('file_id', '=', id)
      .where('state', 'in', openStates)
      .executeTakeFirst();
    if (user !== undefined) return false;
    await this.#db
      .updateTable('call_files')
      .set({ expires_at_ms: 0 })
      .where('id', '=', id)
      .where('account_id', '=', accountId)
      .execute();
    return true;
  }

  lines(fileId: string, from: number, most: number): Promise<readonly SealedLine[]> {
    return this.#db
      .selectFrom('call_file_lines')
      .select(['number', 'sealed_by as sealedBy', 'sealed'])
      .where('file_id', '=', fileId)
      .where('number', '>=', from)
      .orderBy('number')
      .limit(most)
      .execute();
  }

  async bytesOf(accountId: string): Promise<number> {
    const { bytes } = await this.#db
      .selectFrom('call_files')
      .select(({ fn }) => fn.sum<number | null>('bytes').as('bytes'))
      .where('account_id', '=', accountId)
      // Those that were deleted wait to be cleaned up.
      .where('expires_at_ms', '>', 0)
      .executeTakeFirstOrThrow();
    return Number(bytes ?? 0);
  }

  async clean(nowMs: number): Promise<boolean> {
    const files = await this.#db
      .selectFrom('call_files')
      .select('id')
      .where('expires_at_ms', '<=', nowMs)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('own_batches')
              .select('own_batches.id')
              .whereRef('own_batches.file_id', '=', 'call_files.id')
              .where('own_batches.ended_at_ms', 'is', null),
          ),
        ),
      )
      .limit(limits.ownBatchesAtOnce)
      .execute();
    for (const { id } of files) await this.#delete(id);
    return files.length > 0;
  }

  async forget(accountId: string): Promise<void> {
    const files = await this.#db
      .selectFrom('call_files')
      .select('id')
      .where('account_id', '=', accountId)
      .execute();
    for (const { id } of files) await this.#delete(id);
  }

  async #delete(id: string): Promise<void> {
    for (;;) {
      const { numDeletedRows } = await this.#db
        .deleteFrom('call_file_lines')
        .where('file_id', '=', id)
        .where('number', 'in', (the) =>
          the
            .selectFrom('call_file_lines')
            .select('number')
            .where('file_id', '=', id)
            .limit(limits.ownBatchLinesAtOnce),
        )
        .executeTakeFirstOrThrow();
      if (numDeletedRows === 0n) break;
    }
    await this.#db.deleteFrom('call_files').where('id', '=', id).execute();
  }
}
