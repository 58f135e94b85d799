import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import type { CollectionId } from '../../kernel/ports/collection-table.ts';
import { limits } from '../limits.ts';
import { type CollectionCounters, hasCounters, lockCounters, saveCounters } from './collection-counters.ts';
import { isScopeNotHeld } from './legal-holds.ts';
import type { Tables } from './tables.ts';

/** Deletes the expired entries of a collection and counts them off. */
export async function deleteExpired(
  trx: Transaction<Tables>,
  id: CollectionId,
  counters: CollectionCounters,
  nowMs: number,
): Promise<void> {
  const deleted = await trx
    .deleteFrom('collection_entries')
    .where((the) => the.and(id))
    .where('expires_at_ms', '<=', nowMs)
    .where(isScopeNotHeld())
    .returning('bytes')
    .execute();
  counters.entries -= deleted.length;
  counters.bytes -= deleted.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Deletes expired entries of the collections whose entries expired first; true if there may be more. */
export async function tidyCollections(db: Kysely<Tables>, nowMs: number): Promise<boolean> {
  const expired = await db
    .selectFrom('collection_entries')
    .select(['scope', 'module', 'collection', 'key'])
    .where('expires_at_ms', '<=', nowMs)
    .where(isScopeNotHeld())
    .orderBy('expires_at_ms')
    .limit(limits.collectionEntriesDeletedAtOnce)
    .execute();
  const byCollection = Map.groupBy(expired, ({ scope, module, collection }) =>
    JSON.stringify([scope, module, collection]),
  );
  for (const [first, ...others] of byCollection.values()) {
    if (first === undefined) continue;
    const { scope, module, collection } = first;
    const keys = [first, ...others].map(({ key }) => key);
    const condition = sql<boolean>`expires_at_ms <= ${nowMs} and ${isScopeNotHeld()}`;
    await deleteEntries(db, { scope, module, collection }, { keys, condition });
  }
  return expired.length === limits.collectionEntriesDeletedAtOnce;
}

/** Deletes those of the entries that still meet the condition, and counts them off. Resolves to their keys. */
export async function deleteEntries(
  db: Kysely<Tables>,
  id: CollectionId,
  { keys, condition }: { readonly keys: readonly string[]; readonly condition: RawBuilder<boolean> },
): Promise<readonly string[]> {
  const isCounted = await hasCounters(db, id);
  return db.transaction().execute(async (trx) => {
    const counters = isCounted ? await lockCounters(trx, id) : undefined;
    const deleted = await trx
      .deleteFrom('collection_entries')
      .where((the) => the.and(id))
      .where('key', 'in', keys)
      .where(condition)
      .returning(['key', 'bytes'])
      .execute();
    if (counters !== undefined) {
      counters.entries -= deleted.length;
      counters.bytes -= deleted.reduce((sum, { bytes }) => sum + bytes, 0);
      await saveCounters(trx, id, counters);
    }
    return deleted.map(({ key }) => key);
  });
}
