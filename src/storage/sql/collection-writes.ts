import { randomInt } from 'node:crypto';
import { type Kysely, sql, type Transaction } from 'kysely';
import type {
  CollectionBounds,
  CollectionId,
  NewEntryRow,
  RowChange,
  RowChangeResult,
} from '../../kernel/ports/collection-table.ts';
import { limits } from '../limits.ts';
import { type CollectionCounters, lockCounters, saveCounters } from './collection-counters.ts';
import { deleteExpired } from './collection-expiry.ts';
import type { Tables } from './tables.ts';

/** Entries of a key start at a random version, so that versions aren't reused after a deletion. */
const firstVersionMax = 2 ** 47;

type Owner = Pick<CollectionId, 'scope' | 'module'>;

function isCounted({ entriesMax, bytesMax, unique }: CollectionBounds): boolean {
  return entriesMax !== undefined || bytesMax !== undefined || unique !== undefined;
}

/** Rolls a transaction back. */
class Refusal extends Error {
  readonly result: 'conflict' | { readonly full: string };

  constructor(result: Refusal['result']) {
    super('refused');
    this.result = result;
  }
}

const notApplied = Symbol('not applied');

/** One statement for a single change without bounds, else a transaction that locks the counters of bounded collections. */
export async function applyChanges(
  db: Kysely<Tables>,
  owner: Owner,
  changes: readonly RowChange[],
  nowMs: number,
): Promise<readonly RowChangeResult[] | Refusal['result']> {
  const [only] = changes;
  if (changes.length === 1 && only !== undefined && !isCounted(only.bounds)) {
    const result = await applyChange(db, owner, only, nowMs);
    return result === notApplied ? 'conflict' : [result];
  }
  try {
    return await db.transaction().execute((trx) => applyAll(trx, owner, changes, nowMs));
  } catch (error) {
    if (error instanceof Refusal) return error.result;
    throw error;
  }
}

async function applyAll(
  trx: Transaction<Tables>,
  owner: Owner,
  changes: readonly RowChange[],
  nowMs: number,
): Promise<readonly RowChangeResult[]> {
  const counted = new Map<
    string,
    { readonly bounds: CollectionBounds; readonly counters: CollectionCounters }
  >();
  const bounded = new Map(changes.map(({ collection, bounds }) => [collection, bounds]));
  // In one order for all writers, so that none waits for another in a circle.
  for (const collection of [...bounded.keys()].sort()) {
    const bounds = bounded.get(collection) ?? {};
    if (isCounted(bounds))
      counted.set(collection, { bounds, counters: await lockCounters(trx, { ...owner, collection }) });
  }
  const results: RowChangeResult[] = [];
  for (const change of changes) {
    const there = counted.get(change.collection);
    if (there !== undefined) await countChange(trx, owner, change, there.counters, nowMs);
    const result = await applyChange(trx, owner, change, nowMs);
    if (result === notApplied) throw new Refusal('conflict');
    results.push(result);
  }
  for (const [collection, { bounds, counters }] of counted) {
    const id = { ...owner, collection };
    if (bounds.bytesMax !== undefined) await dropOldest(trx, id, counters, bounds.bytesMax);
    await saveCounters(trx, id, counters);
  }
  return results;
}

/** Checks the bounds of the collection and counts the change. */
async function countChange(
  trx: Transaction<Tables>,
  owner: Owner,
  { collection, key, row, bounds }: RowChange,
  counters: CollectionCounters,
  nowMs: number,
): Promise<void> {
  const id = { ...owner, collection };
  const before = await trx
    .selectFrom('collection_entries')
    .select('bytes')
    .where((the) => the.and({ ...id, key }))
    .executeTakeFirst();
  if (row === undefined) {
    counters.entries -= before === undefined ? 0 : 1;
    counters.bytes -= before?.bytes ?? 0;
    return;
  }
  if (bounds.unique !== undefined) await checkUnique(trx, id, { key, row, columns: bounds.unique, nowMs });
  counters.bytes += row.bytes - (before?.bytes ?? 0);
  if (before !== undefined) return;
  const { entriesMax = Number.POSITIVE_INFINITY } = bounds;
  if (counters.entries >= entriesMax) await deleteExpired(trx, id, counters, nowMs);
  if (counters.entries >= entriesMax) throw new Refusal({ full: collection });
  counters.entries++;
}

async function checkUnique(
  trx: Transaction<Tables>,
  id: CollectionId,
  {
    key,
    row,
    columns,
    nowMs,
  }: { key: string; row: NewEntryRow; columns: NonNullable<CollectionBounds['unique']>; nowMs: number },
): Promise<void> {
  const values = columns.map((column) => row.columns[column] ?? null);
  if (values.includes(null)) return;
  const other = await trx
    .selectFrom('collection_entries')
    .select('key')
    .where((the) => the.and(id))
    .where((the) => the.and(columns.map((column, at) => the(column, '=', values[at] ?? null))))
    .where('key', '<>', key)
    .where((the) => the.or([the('expires_at_ms', 'is', null), the('expires_at_ms', '>', nowMs)]))
    .limit(1)
    .executeTakeFirst();
  if (other !== undefined) throw new Refusal('conflict');
}

async function applyChange(
  db: Kysely<Tables>,
  owner: Owner,
  { collection, key, row, version }: RowChange,
  nowMs: number,
): Promise<RowChangeResult | typeof notApplied> {
  const id = { ...owner, collection, key };
  if (row === undefined) return deleteEntry(db, id, version, nowMs);
  const content = toColumns(row, nowMs);
  if (version !== undefined && version > 0) return replaceEntry(db, id, content, version);
  const isExpired = sql<boolean>`collection_entries.expires_at_ms <= ${nowMs}`;
  const written = await db
    .insertInto('collection_entries')
    .values({ ...id, ...content, version: randomInt(1, firstVersionMax), created_at_ms: nowMs })
    .onConflict((conflict) => {
      const updated = conflict.columns(['scope', 'module', 'collection', 'key']).doUpdateSet({
        ...content,
        version: sql<number>`collection_entries.version + 1`,
        created_at_ms: sql<number>`case when ${isExpired} then ${nowMs} else collection_entries.created_at_ms end`,
      });
      return version === 0 ? updated.where(isExpired) : updated;
    })
    .returning(['version', 'created_at_ms', 'updated_at_ms'])
    .executeTakeFirst();
  return written === undefined ? notApplied : toResult(written);
}

type EntryId = CollectionId & { readonly key: string };

async function replaceEntry(
  db: Kysely<Tables>,
  id: EntryId,
  content: ReturnType<typeof toColumns>,
  version: number,
): Promise<RowChangeResult | typeof notApplied> {
  const replaced = await db
    .updateTable('collection_entries')
    .set((the) => ({ ...content, version: the('version', '+', 1) }))
    .where((the) => the.and({ ...id, version }))
    .returning(['version', 'created_at_ms', 'updated_at_ms'])
    .executeTakeFirst();
  return replaced === undefined ? notApplied : toResult(replaced);
}

async function deleteEntry(
  db: Kysely<Tables>,
  id: EntryId,
  version: number | undefined,
  nowMs: number,
): Promise<undefined | typeof notApplied> {
  const deleted = await db
    .deleteFrom('collection_entries')
    .where((the) => the.and({ ...id, ...(version !== undefined && { version }) }))
    .returning('expires_at_ms')
    .executeTakeFirst();
  const wasThere = deleted !== undefined && (deleted.expires_at_ms === null || deleted.expires_at_ms > nowMs);
  return wasThere ? undefined : notApplied;
}

async function dropOldest(
  trx: Transaction<Tables>,
  id: CollectionId,
  counters: CollectionCounters,
  bytesMax: number,
): Promise<void> {
  while (counters.bytes > bytesMax) {
    const oldest = await trx
      .selectFrom('collection_entries')
      .select(['key', 'bytes'])
      .where((the) => the.and(id))
      .orderBy('created_at_ms')
      .orderBy('key')
      .limit(limits.collectionEntriesDeletedAtOnce)
      .execute();
    if (oldest.length === 0) return;
    const dropped: string[] = [];
    for (const { key, bytes } of oldest) {
      if (counters.bytes <= bytesMax) break;
      dropped.push(key);
      counters.bytes -= bytes;
      counters.entries--;
    }
    await trx
      .deleteFrom('collection_entries')
      .where((the) => the.and(id))
      .where('key', 'in', dropped)
      .execute();
  }
}

function toColumns({ value, sealedBy, sealed, bytes, columns, expiresAtMs }: NewEntryRow, nowMs: number) {
  return {
    value,
    sealed_by: sealedBy,
    sealed,
    bytes,
    updated_at_ms: nowMs,
    expires_at_ms: expiresAtMs ?? null,
    text1: textOf(columns.text1),
    text2: textOf(columns.text2),
    text3: textOf(columns.text3),
    text4: textOf(columns.text4),
    integer1: integerOf(columns.integer1),
    integer2: integerOf(columns.integer2),
  };
}

function textOf(value: string | number | null | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

function integerOf(value: string | number | null | undefined): number | null {
  return typeof value === 'number' ? value : null;
}

function toResult(row: Pick<Tables['collection_entries'], 'version' | 'created_at_ms' | 'updated_at_ms'>) {
  return { version: row.version, createdAtMs: row.created_at_ms, updatedAtMs: row.updated_at_ms };
}
