import { randomInt } from 'node:crypto';
import { type Kysely, sql, type Transaction } from 'kysely';
import type {
  CollectionBounds,
  CollectionId,
  NewEntryRow,
  RowChange,
  RowChangeResult,
} from '../../kernel/ports/collection-table.ts';
import { CollectionFullError } from '../../kernel/ports/collections.ts';
import { limits } from '../limits.ts';
import { chunks } from './chunks.ts';
import { type CollectionCounters, lockCounters, saveCounters } from './collection-counters.ts';
import { deleteExpired } from './collection-expiry.ts';
import { isScopeNotHeld } from './legal-holds.ts';
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
  const counted = new Map<string, CountedCollection>();
  const byCollection = Map.groupBy(changes, ({ collection }) => collection);
  // In one order for all writers, so that none waits for another in a circle.
  for (const collection of [...byCollection.keys()].sort()) {
    const own = byCollection.get(collection) ?? [];
    const { bounds = {} } = own.at(-1) ?? {};
    if (!isCounted(bounds)) continue;
    const id = { ...owner, collection };
    const counters = await lockCounters(trx, id);
    const keys = own.map(({ key }) => key);
    counted.set(collection, { id, bounds, counters, sizes: await readSizes(trx, id, keys) });
  }
  const results: RowChangeResult[] = [];
  for (const batch of batchesOf(changes)) {
    for (const change of batch) {
      const there = counted.get(change.collection);
      if (there !== undefined) await countChange(trx, change, there, nowMs);
    }
    for (const result of await applyBatch(trx, owner, batch, nowMs)) {
      if (result === notApplied) throw new Refusal('conflict');
      results.push(result);
    }
  }
  for (const { id, bounds, counters } of counted.values()) {
    if (bounds.bytesMax !== undefined) await dropOldest(trx, id, counters, bounds.bytesMax);
    await saveCounters(trx, id, counters);
  }
  return results;
}

interface CountedCollection {
  readonly id: CollectionId;
  readonly bounds: CollectionBounds;
  readonly counters: CollectionCounters;
  /** The sizes of the entries that are changed, by key. */
  sizes: Map<string, number>;
}

/** Neighbouring changes that one statement can make. */
function batchesOf(changes: readonly RowChange[]): readonly (readonly RowChange[])[] {
  const batches: RowChange[][] = [];
  for (const change of changes) {
    const batch = batches.at(-1) ?? [];
    const isFull = batch.length === 0 || batch.length === limits.collectionEntriesWrittenAtOnce;
    if (!isFull && batch.every((other) => canJoin(other, change))) batch.push(change);
    else batches.push([change]);
  }
  return batches;
}

/** Whether both write entries of different keys, in collections where one entry doesn't decide about another. */
function canJoin(one: RowChange, other: RowChange): boolean {
  const isSameKey = one.key === other.key && one.collection === other.collection;
  return !isSameKey && one.version === other.version && isIndependent(one) && isIndependent(other);
}

function isIndependent({ row, version = 0, bounds }: RowChange): boolean {
  const { unique, entriesMax } = bounds;
  return row !== undefined && version === 0 && unique === undefined && entriesMax === undefined;
}

async function readSizes(
  trx: Transaction<Tables>,
  id: CollectionId,
  keys: readonly string[],
): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for (const some of chunks(keys, limits.collectionEntriesWrittenAtOnce)) {
    const rows = await trx
      .selectFrom('collection_entries')
      .select(['key', 'bytes'])
      .where((the) => the.and(id))
      .where('key', 'in', some)
      .execute();
    for (const { key, bytes } of rows) sizes.set(key, bytes);
  }
  return sizes;
}

/** Checks the bounds of the collection and counts the change. */
async function countChange(
  trx: Transaction<Tables>,
  { key, row, bounds }: RowChange,
  counted: CountedCollection,
  nowMs: number,
): Promise<void> {
  const { id, counters } = counted;
  const before = counted.sizes.get(key);
  if (row === undefined) {
    counters.entries -= before === undefined ? 0 : 1;
    counters.bytes -= before ?? 0;
    counted.sizes.delete(key);
    return;
  }
  if (bounds.unique !== undefined) await checkUnique(trx, id, { key, row, columns: bounds.unique, nowMs });
  const { entriesMax = Number.POSITIVE_INFINITY } = bounds;
  if (before === undefined && counters.entries >= entriesMax) {
    await deleteExpired(trx, id, counters, nowMs);
    if (counters.entries >= entriesMax) throw new Refusal({ full: id.collection });
    counted.sizes = await readSizes(trx, id, [...counted.sizes.keys()]);
  }
  if (before === undefined) counters.entries++;
  counters.bytes += row.bytes - (before ?? 0);
  counted.sizes.set(key, row.bytes);
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
  change: RowChange,
  nowMs: number,
): Promise<RowChangeResult | typeof notApplied> {
  const { collection, key, row, version } = change;
  const id = { ...owner, collection, key };
  if (row === undefined) return deleteEntry(db, id, version, nowMs);
  if (version !== undefined && version > 0) return replaceEntry(db, id, toColumns(row, nowMs), version);
  const [result = notApplied] = await putEntries(db, owner, [{ ...change, row }], nowMs);
  return result;
}

/** A change of `batchesOf`, or several that it has put together. */
async function applyBatch(
  db: Kysely<Tables>,
  owner: Owner,
  batch: readonly RowChange[],
  nowMs: number,
): Promise<readonly (RowChangeResult | typeof notApplied)[]> {
  if (batch.length > 1 && batch.every(isPut)) return putEntries(db, owner, batch, nowMs);
  return Promise.all(batch.map((change) => applyChange(db, owner, change, nowMs)));
}

type Put = RowChange & { readonly row: NewEntryRow };

function isPut(change: RowChange): change is Put {
  return change.row !== undefined;
}

/** Writes entries in one statement; with version 0, only those that are not there yet or have expired. */
async function putEntries(
  db: Kysely<Tables>,
  owner: Owner,
  puts: readonly Put[],
  nowMs: number,
): Promise<readonly (RowChangeResult | typeof notApplied)[]> {
  const isExpired = sql<boolean>`collection_entries.expires_at_ms <= ${nowMs}`;
  const rows = puts.map(({ collection, key, row }) => ({
    ...owner,
    collection,
    key,
    ...toColumns(row, nowMs),
    version: randomInt(1, firstVersionMax),
    created_at_ms: nowMs,
  }));
  const written = await db
    .insertInto('collection_entries')
    .values(rows)
    .onConflict((conflict) => {
      const updated = conflict.columns(['scope', 'module', 'collection', 'key']).doUpdateSet((the) => ({
        ...Object.fromEntries(contentColumns.map((column) => [column, the.ref(`excluded.${column}`)])),
        version: sql<number>`collection_entries.version + 1`,
        created_at_ms: sql<number>`case when ${isExpired} then ${nowMs} else collection_entries.created_at_ms end`,
      }));
      return puts[0]?.version === 0 ? updated.where(isExpired) : updated;
    })
    .returning(['collection', 'key', 'version', 'created_at_ms', 'updated_at_ms'])
    .execute();
  return puts.map(({ collection, key }) => {
    const own = written.find((row) => row.key === key && row.collection === collection);
    return own === undefined ? notApplied : toResult(own);
  });
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
      .where(isScopeNotHeld())
      .orderBy('created_at_ms')
      .orderBy('key')
      .limit(limits.collectionEntriesDeletedAtOnce)
      .execute();
    if (oldest.length === 0) {
      const held = await sql`select 1 where not (${isScopeNotHeld(sql.val(id.scope))})`.execute(trx);
      if (held.rows.length > 0) throw new CollectionFullError(id.collection);
      return;
    }
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

const contentColumns = [
  'value',
  'sealed_by',
  'sealed',
  'bytes',
  'updated_at_ms',
  'expires_at_ms',
  'text1',
  'text2',
  'text3',
  'text4',
  'integer1',
  'integer2',
] as const satisfies readonly (keyof ReturnType<typeof toColumns>)[];

function textOf(value: string | number | null | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

function integerOf(value: string | number | null | undefined): number | null {
  return typeof value === 'number' ? value : null;
}

function toResult(row: Pick<Tables['collection_entries'], 'version' | 'created_at_ms' | 'updated_at_ms'>) {
  return { version: row.version, createdAtMs: row.created_at_ms, updatedAtMs: row.updated_at_ms };
}
