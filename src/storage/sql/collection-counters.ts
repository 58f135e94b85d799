import { randomInt } from 'node:crypto';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { CollectionId } from '../../kernel/ports/collection-table.ts';
import type { Tables } from './tables.ts';

/** Revisions start at random, so that none comes again after the collection was deleted. */
const firstRevisionMax = 2 ** 40;

export interface CollectionCounters {
  entries: number;
  bytes: number;
}

/** Blocks other writers of the collection until this transaction ends. A missing row is counted from the entries. */
export async function lockCounters(trx: Transaction<Tables>, id: CollectionId): Promise<CollectionCounters> {
  const locked = await trx
    .updateTable('collection_counters')
    .set({ entries: sql.ref('entries') })
    .where((the) => the.and(id))
    .returning(['entries', 'bytes'])
    .executeTakeFirst();
  if (locked !== undefined) return locked;
  const { entries, bytes } = await trx
    .selectFrom('collection_entries')
    .select(({ fn }) => [fn.countAll<number>().as('entries'), fn.sum<number | null>('bytes').as('bytes')])
    .where((the) => the.and(id))
    .executeTakeFirstOrThrow();
  return trx
    .insertInto('collection_counters')
    .values({
      ...id,
      entries: Number(entries),
      bytes: Number(bytes ?? 0),
      revision: randomInt(firstRevisionMax),
    })
    .onConflict((conflict) =>
      conflict
        .columns(['scope', 'module', 'collection'])
        .doUpdateSet({ entries: sql.ref('collection_counters.entries') }),
    )
    .returning(['entries', 'bytes'])
    .executeTakeFirstOrThrow();
}

export async function saveCounters(
  trx: Transaction<Tables>,
  id: CollectionId,
  { entries, bytes }: CollectionCounters,
): Promise<void> {
  await trx
    .updateTable('collection_counters')
    .set({ entries, bytes, revision: sql<number>`revision + 1` })
    .where((the) => the.and(id))
    .execute();
}

/** Whether the collection has counters. */
export async function hasCounters(db: Kysely<Tables>, id: CollectionId): Promise<boolean> {
  const row = await db
    .selectFrom('collection_counters')
    .select('entries')
    .where((the) => the.and(id))
    .executeTakeFirst();
  return row !== undefined;
}
