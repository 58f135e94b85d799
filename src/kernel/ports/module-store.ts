/** Small JSON values that a module keeps for one tenant, for as long as the tenant is there. */
export interface ModuleStore {
  get(key: string): Promise<StoredValue | undefined>;
  /**
   * Writes the value and resolves to it as it is stored. With `version`, only where that is the version stored (0: where
   * there is none); else it resolves to undefined and nothing is changed. No version comes back under a key that was deleted.
   */
  put(key: string, value: unknown, version?: number): Promise<StoredValue | undefined>;
  /** False where there was nothing. */
  delete(key: string): Promise<boolean>;
  /** In the order of the keys' code points; a page with fewer than `limit` is the last. */
  list(page?: StoreListOptions): Promise<readonly StoredEntry[]>;
}

export interface StoredValue {
  /** As JSON gives it back. */
  readonly value: unknown;
  readonly version: number;
  readonly updatedAtMs: number;
}

export interface StoredEntry extends StoredValue {
  readonly key: string;
}

export interface StoreListOptions {
  /** How the keys begin. */
  readonly prefix?: string | undefined;
  /** The last key of the page before. */
  readonly after?: string | undefined;
  /** The most there can be where it is left out. */
  readonly limit?: number | undefined;
}

/** Where such stores come from; what one module keeps for one tenant, no other sees. */
export interface ModuleStores {
  store(module: string, scope: string): ModuleStore;
  /** Deletes all that any module kept for a tenant, some at a time. */
  forget(scope: string): Promise<void>;
}
