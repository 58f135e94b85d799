import type { Kysely } from 'kysely';
import type { ArchiveFilter, ArchiveRow, ArchiveTable } from '../../kernel/ports/archive.ts';
import { limits } from '../limits.ts';
import type { Tables } from './tables.ts';

export class SqlArchiveTable implements ArchiveTable {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async add(scope: string, rows: readonly ArchiveRow[], bytesMax: number): Promise<void> {
    for (let at = 0; at < rows.length; at += limits.archiveRowsAtOnce)
      await this.#insert(scope, rows.slice(at, at + limits.archiveRowsAtOnce));
    await this.#dropOldest(scope, bytesMax);
  }

  async #insert(scope: string, rows: readonly ArchiveRow[]): Promise<void> {
    await this.#db
      .insertInto('archive')
      .values(
        rows.map((row) => ({
          scope,
          ref: row.ref,
          conversation: row.conversation,
          person: row.person,
          created_at_ms: row.createdAtMs,
          expires_at_ms: row.expiresAtMs,
          sealed_by: row.sealedBy,
          sealed: row.sealed,
          bytes: row.sealed.byteLength,
        })),
      )
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }

  /** If two replicas add at the same time, the later one sees the rows of both. */
  async #dropOldest(scope: string, bytesMax: number): Promise<void> {
    const { sum } = await this.#db
      .selectFrom('archive')
      .select(({ fn }) => fn.sum<number | null>('bytes').as('sum'))
      .where('scope', '=', scope)
      .executeTakeFirstOrThrow();
    for (let over = Number(sum ?? 0) - bytesMax; over > 0; ) {
      const oldest = await this.#db
        .selectFrom('archive')
        .select(['ref', 'bytes'])
        .where('scope', '=', scope)
        .orderBy('created_at_ms')
        .orderBy('ref')
        .limit(limits.archiveRowsAtOnce)
        .execute();
      if (oldest.length === 0) return;
      const dropped: string[] = [];
      for (const { ref, bytes } of oldest) {
        if (over <= 0) break;
        dropped.push(ref);
        over -= bytes;
      }
      await this.#db.deleteFrom('archive').where('scope', '=', scope).where('ref', 'in', dropped).execute();
    }
  }

  async find(scope: string, ref: string, nowMs: number): Promise<ArchiveRow | undefined> {
    const row = await this.#db
      .selectFrom('archive')
      .selectAll()
      .where((the) => the.and({ scope, ref }))
      .where('expires_at_ms', '>', nowMs)
      .executeTakeFirst();
    return row === undefined
      ? undefined
      : {
          ref: row.ref,
          conversation: row.conversation,
          person: row.person,
          createdAtMs: row.created_at_ms,
          expiresAtMs: row.expires_at_ms,
          sealedBy: row.sealed_by,
          sealed: row.sealed,
        };
  }

  async remove(scope: string, which: ArchiveFilter): Promise<number> {
    const { numDeletedRows } = await this.#db
      .deleteFrom('archive')
      .where((the) => the.and({ scope, ...which }))
      .executeTakeFirstOrThrow();
    return Number(numDeletedRows);
  }

  async forget(scope: string): Promise<void> {
    await this.#db.deleteFrom('archive').where('scope', '=', scope).execute();
  }

  async tidy(nowMs: number): Promise<boolean> {
    const over = await this.#db
      .selectFrom('archive')
      .select(['scope', 'ref'])
      .where('expires_at_ms', '<=', nowMs)
      .limit(limits.archiveRowsAtOnce)
      .execute();
    for (const { scope, ref } of over)
      await this.#db
        .deleteFrom('archive')
        .where((the) => the.and({ scope, ref }))
        .execute();
    return over.length === limits.archiveRowsAtOnce;
  }
}
