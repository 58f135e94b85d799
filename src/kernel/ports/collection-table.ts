import type { FieldColumn } from './collections.ts';

/** The collection of one module for one tenant. */
export interface CollectionId {
  readonly scope: string;
  readonly module: string;
  readonly collection: string;
}

export type ColumnValues = Readonly<Partial<Record<FieldColumn, string | number | null>>>;

/** The content of an entry: JSON, or sealed bytes. */
export interface EntryContent {
  readonly value: string | null;
  readonly sealedBy: string | null;
  readonly sealed: Uint8Array | null;
}

export interface NewEntryRow extends EntryContent {
  readonly columns: ColumnValues;
  /** The size of the content. */
  readonly bytes: number;
  readonly expiresAtMs: number | undefined;
}

export interface EntryRow extends EntryContent {
  readonly key: string;
  readonly columns: ColumnValues;
  readonly version: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly expiresAtMs: number | undefined;
}

export interface EntryInfoRow extends Pick<EntryRow, 'key' | 'columns' | 'createdAtMs' | 'expiresAtMs'> {
  readonly bytes: number;
}

export interface CollectionBounds {
  readonly entriesMax?: number | undefined;
  readonly bytesMax?: number | undefined;
  readonly unique?: readonly FieldColumn[] | undefined;
}

export interface RowChange {
  readonly collection: string;
  readonly bounds: CollectionBounds;
  readonly key: string;
  /** Undefined to delete the entry. */
  readonly row: NewEntryRow | undefined;
  /** 0 if there must be no entry; undefined for any version. */
  readonly version: number | undefined;
}

/** The written row; undefined for a deletion. */
export type RowChangeResult = Pick<EntryRow, 'version' | 'createdAtMs' | 'updatedAtMs'> | undefined;

export interface RowCondition {
  readonly column: FieldColumn | 'key';
  readonly operator: '=' | '<' | '>' | 'in' | 'is null';
  readonly values: readonly (string | number | null)[];
}

export interface RowQuery {
  readonly conditions: readonly RowCondition[];
  readonly orderBy: FieldColumn | 'key' | 'created_at_ms';
  readonly descending: boolean;
  /** The order value and the key of the last row of the previous page. */
  readonly after: readonly [string | number, string] | undefined;
  readonly limit: number;
  readonly nowMs: number;
}

/** The entries of all collections, shared by all replicas. */
export interface CollectionTable {
  /** Applies all changes or none. `full` with the name of the collection that has no room. */
  apply(
    owner: Pick<CollectionId, 'scope' | 'module'>,
    changes: readonly RowChange[],
    nowMs: number,
  ): Promise<readonly RowChangeResult[] | 'conflict' | { readonly full: string }>;
  find(id: CollectionId, key: string, nowMs: number): Promise<EntryRow | undefined>;
  query(id: CollectionId, query: RowQuery): Promise<readonly EntryRow[]>;
  list(id: CollectionId, query: RowQuery): Promise<readonly EntryInfoRow[]>;
  deleteAll(id: CollectionId, conditions: readonly RowCondition[]): Promise<number>;
  revision(id: CollectionId): Promise<number>;
  /** Deletes everything of a tenant, in chunks. */
  forget(scope: string): Promise<void>;
  /** Deletes some expired entries; true if there may be more. */
  tidy(nowMs: number): Promise<boolean>;
}
