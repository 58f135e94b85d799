import type { CollectionStore } from './collections.ts';

/** Small durable JSON values of a module for one tenant. */
export interface KeyValueStore {
  get(key: string): Promise<StoredValue | undefined>;
  /**
   * Writes the value and resolves to the stored entry. With `version`, only if that is the stored version (0: if
   * there is none); otherwise resolves to undefined without a change. Versions are not reused after a key was
   * deleted.
   */
  put(key: string, value: unknown, version?: number): Promise<StoredValue | undefined>;
  /** False if there was none. */
  delete(key: string): Promise<boolean>;
  /** Ordered by the code points of the keys; a page with fewer than `limit` is the last. */
  list(page?: StoreListOptions): Promise<readonly StoredEntry[]>;
}

export interface StoredValue {
  /** The parsed JSON. */
  readonly value: unknown;
  readonly version: number;
  readonly updatedAtMs: number;
}

export interface StoredEntry extends StoredValue {
  readonly key: string;
}

export interface StoreListOptions {
  /** A prefix of the keys. */
  readonly prefix?: string | undefined;
  /** The last key of the previous page. */
  readonly after?: string | undefined;
  /** The maximum if undefined. */
  readonly limit?: number | undefined;
}

/** Key-value stores, separate for each module and tenant. */
export interface KeyValueStores {
  store(module: string, scope: string): KeyValueStore;
  /** Deletes all values that modules stored for a tenant, in chunks. */
  forget(scope: string): Promise<void>;
}

/** Everything that a module stores for one tenant: values by key, and collections of entries with indexed fields. */
export interface ModuleStore extends KeyValueStore, CollectionStore {}

/** Creates stores, separate for each module and tenant. */
export interface ModuleStores {
  store(module: string, scope: string): ModuleStore;
}
