import type {
  CollectionId,
  CollectionTable,
  EntryInfoRow,
  EntryRow,
  RowChange,
  RowQuery,
} from '../kernel/ports/collection-table.ts';
import {
  type Collection,
  CollectionFullError,
  type Entries,
  type Entry,
  type EntryFilter,
  type EntryInfoPage,
  type EntryPage,
  type EntryQuery,
  type FieldColumns,
  type NewEntry,
  type WriteBatch,
} from '../kernel/ports/collections.ts';
import type {
  KeyValueStore,
  KeyValueStores,
  ModuleStore,
  ModuleStores,
} from '../kernel/ports/module-store.ts';
import type { Clock } from '../lib/clock.ts';
import { packValue, unpackValue } from './collection-content.ts';
import {
  formatCursor,
  toColumnValues,
  toFieldValues,
  toRowConditions,
  toRowQuery,
} from './collection-query.ts';
import { limits } from './limits.ts';
import { validateEntryVersion, validateNonEmpty, validateStoreName } from './module-entry-validation.ts';
import type { ByteSealer } from './sealed-cache-backend.ts';

interface ModuleStoresParts {
  readonly values: KeyValueStores;
  readonly entries: CollectionTable;
  /** Encrypts the values of sealed collections. */
  readonly sealer: ByteSealer;
  readonly clock: Clock;
}

/** The stores of modules: values by key, and collections. */
export class ModuleStoresWithCollections implements ModuleStores {
  readonly #parts: ModuleStoresParts;

  constructor(parts: ModuleStoresParts) {
    this.#parts = parts;
  }

  store(module: string, scope: string): ModuleStore {
    const { values, ...parts } = this.#parts;
    const owner = { module: validateStoreName(module), scope: validateStoreName(scope) };
    return new StoreWithCollections(values.store(module, scope), { ...parts, owner });
  }
}

type Owner = Pick<CollectionId, 'scope' | 'module'>;

interface StoreParts extends Omit<ModuleStoresParts, 'values'> {
  readonly owner: Owner;
}

class StoreWithCollections implements ModuleStore {
  readonly #values: KeyValueStore;
  readonly #parts: StoreParts;

  constructor(values: KeyValueStore, parts: StoreParts) {
    this.#values = values;
    this.#parts = parts;
  }

  get(...args: Parameters<KeyValueStore['get']>) {
    return this.#values.get(...args);
  }

  put(...args: Parameters<KeyValueStore['put']>) {
    return this.#values.put(...args);
  }

  delete(...args: Parameters<KeyValueStore['delete']>) {
    return this.#values.delete(...args);
  }

  list(...args: Parameters<KeyValueStore['list']>) {
    return this.#values.list(...args);
  }

  collection<Value, Fields extends FieldColumns>(
    collection: Collection<Value, Fields>,
  ): Entries<Value, Fields> {
    return new CollectionEntries(collection, this.#parts);
  }

  async write(addChanges: (batch: WriteBatch) => void): Promise<boolean> {
    const changes: (() => Promise<RowChange>)[] = [];
    addChanges({
      put: (collection, key, entry, version) =>
        void changes.push(() => toPut(collection, key, entry, version, this.#parts)),
      delete: (collection, key, version) =>
        void changes.push(async () => toDeletion(collection, key, version)),
    });
    if (changes.length === 0) return true;
    const rows: RowChange[] = [];
    for (const change of changes) rows.push(await change());
    return (await applyRows(rows, this.#parts)) !== undefined;
  }
}

class CollectionEntries<Value, Fields extends FieldColumns> implements Entries<Value, Fields> {
  readonly #collection: Collection<Value, Fields>;
  readonly #parts: StoreParts;
  readonly #id: CollectionId;

  constructor(collection: Collection<Value, Fields>, parts: StoreParts) {
    this.#collection = collection;
    this.#parts = parts;
    this.#id = { ...parts.owner, collection: collection.name };
  }

  async get(key: string): Promise<Entry<Value, Fields> | undefined> {
    const { entries, clock } = this.#parts;
    const row = await entries.find(this.#id, validateKey(key), clock.now());
    return row === undefined ? undefined : this.#toEntry(row);
  }

  async put(
    key: string,
    entry: NewEntry<Value, Fields>,
    version?: number,
  ): Promise<Entry<Value, Fields> | undefined> {
    const change = await toPut(this.#collection, key, entry, version, this.#parts);
    const [written] = (await applyRows([change], this.#parts)) ?? [];
    if (written === undefined) return undefined;
    const { value, fields } = entry;
    return { key, value, fields, ...written, expiresAtMs: change.row?.expiresAtMs };
  }

  async delete(key: string, version?: number): Promise<boolean> {
    return (await applyRows([toDeletion(this.#collection, key, version)], this.#parts)) !== undefined;
  }

  deleteAll(where: EntryFilter<Fields>): Promise<number> {
    return this.#parts.entries.deleteAll(this.#id, toRowConditions(this.#collection.fields, where));
  }

  async query(query: EntryQuery<Fields> = {}): Promise<EntryPage<Value, Fields>> {
    const rowQuery = this.#toRowQuery(query);
    const rows = await this.#parts.entries.query(this.#id, rowQuery);
    const entries: Entry<Value, Fields>[] = [];
    for (const row of rows) {
      const entry = await this.#toEntry(row);
      if (entry !== undefined) entries.push(entry);
    }
    return { entries, next: cursorAfter(rows, rowQuery) };
  }

  async list(query: EntryQuery<Fields> = {}): Promise<EntryInfoPage<Fields>> {
    const rowQuery = this.#toRowQuery(query);
    const rows = await this.#parts.entries.list(this.#id, rowQuery);
    const entries = rows.map(({ columns, ...row }) => ({
      ...row,
      fields: toFieldValues(this.#collection.fields, columns),
    }));
    return { entries, next: cursorAfter(rows, rowQuery) };
  }

  #toRowQuery(query: EntryQuery<Fields>): RowQuery {
    return toRowQuery(this.#collection.fields, query, this.#parts.clock.now());
  }

  revision(): Promise<number> {
    return this.#parts.entries.revision(this.#id);
  }

  /** Undefined if it was sealed with a key that this gateway doesn't have. */
  async #toEntry(row: EntryRow): Promise<Entry<Value, Fields> | undefined> {
    const { key, version, createdAtMs, updatedAtMs, expiresAtMs } = row;
    const content = await unpackValue(row, sealingOf(this.#collection, key, this.#parts));
    if (content === undefined) return undefined;
    const value: Value = JSON.parse(content.json);
    const fields = toFieldValues(this.#collection.fields, row.columns);
    return { key, value, fields, version, createdAtMs, updatedAtMs, expiresAtMs };
  }
}

/** Undefined if the page is not full. */
function cursorAfter(rows: readonly EntryInfoRow[] | readonly EntryRow[], { orderBy, limit }: RowQuery) {
  const last = rows.length < limit ? undefined : rows.at(-1);
  if (last === undefined) return undefined;
  if (orderBy === 'key') return formatCursor(last.key, last.key);
  return formatCursor(
    orderBy === 'created_at_ms' ? last.createdAtMs : (last.columns[orderBy] ?? ''),
    last.key,
  );
}

async function toPut<Value, Fields extends FieldColumns>(
  collection: Collection<Value, Fields>,
  key: string,
  { value, fields, expiresAtMs }: NewEntry<Value, Fields>,
  version: number | undefined,
  parts: StoreParts,
): Promise<RowChange> {
  const { lifeSeconds } = collection;
  const columns = toColumnValues(collection.fields, fields);
  const content = await packValue(collection, value, sealingOf(collection, validateKey(key), parts));
  const endMs = lifeSeconds === undefined ? undefined : parts.clock.now() + lifeSeconds * 1000;
  const row = { ...content, columns, expiresAtMs: expiresAtMs ?? endMs };
  return { ...changeOf(collection, key, version), row };
}

function toDeletion<Value, Fields extends FieldColumns>(
  collection: Collection<Value, Fields>,
  key: string,
  version: number | undefined,
): RowChange {
  return { ...changeOf(collection, validateKey(key), version), row: undefined };
}

function changeOf<Value, Fields extends FieldColumns>(
  { name, fields, entriesMax, bytesMax, unique }: Collection<Value, Fields>,
  key: string,
  version: number | undefined,
): Omit<RowChange, 'row'> {
  const bounds = { entriesMax, bytesMax, unique: unique?.flatMap((field) => fields[field] ?? []) };
  return { collection: name, bounds, key, version: validateEntryVersion(version) };
}

async function applyRows(changes: readonly RowChange[], { entries, owner, clock }: StoreParts) {
  const applied = await entries.apply(owner, changes, clock.now());
  if (applied === 'conflict') return undefined;
  if ('full' in applied) throw new CollectionFullError(applied.full);
  return applied;
}

/** Content sealed for one entry can't be opened as another. A collection named as its module has the module's name alone. */
function sealingOf<Value, Fields extends FieldColumns>(
  { name }: Collection<Value, Fields>,
  key: string,
  { sealer, owner }: StoreParts,
) {
  const { module, scope } = owner;
  return { sealer, context: `${module === name ? name : `${module} ${name}`}\n${scope}\n${key}` };
}

function validateKey(key: string): string {
  return validateNonEmpty('a key', key, limits.collectionKeyCharactersMax);
}
