import type {
  CollectionId,
  CollectionTable,
  EntryRow,
  RowChange,
  RowChangeResult,
  RowQuery,
} from '../../kernel/ports/collection-table.ts';

/** Reads from another table, and keeps changes to itself. Queries and lists don't have them. */
export class DryCollectionTable implements CollectionTable {
  readonly #table: CollectionTable;
  /** Undefined for deleted entries. */
  readonly #changes = new Map<string, EntryRow | undefined>();

  constructor(table: CollectionTable) {
    this.#table = table;
  }

  async apply(owner: Pick<CollectionId, 'scope' | 'module'>, changes: readonly RowChange[], nowMs: number) {
    const results: RowChangeResult[] = [];
    for (const { collection, key, row, version } of changes) {
      const id = { ...owner, collection };
      const current = await this.find(id, key, nowMs);
      if (version !== undefined && version !== (current?.version ?? 0)) return 'conflict';
      const written: EntryRow | undefined = row && {
        ...row,
        key,
        version: (current?.version ?? 0) + 1,
        createdAtMs: current?.createdAtMs ?? nowMs,
        updatedAtMs: nowMs,
      };
      this.#changes.set(nameOf(id, key), written);
      results.push(written);
    }
    return results;
  }

  async find(id: CollectionId, key: string, nowMs: number): Promise<EntryRow | undefined> {
    const name = nameOf(id, key);
    return this.#changes.has(name) ? this.#changes.get(name) : this.#table.find(id, key, nowMs);
  }

  query(id: CollectionId, query: RowQuery) {
    return this.#table.query(id, query);
  }

  list(id: CollectionId, query: RowQuery) {
    return this.#table.list(id, query);
  }

  revision(id: CollectionId) {
    return this.#table.revision(id);
  }

  async deleteAll(): Promise<number> {
    return 0;
  }

  async forget(): Promise<void> {}

  async tidy(): Promise<boolean> {
    return false;
  }
}

function nameOf({ scope, module, collection }: CollectionId, key: string): string {
  return JSON.stringify([scope, module, collection, key]);
}
