/** Cached bytes by key. Entries may disappear at any time. */
export interface ScopedCache {
  get(key: string): Promise<Uint8Array | undefined>;
  put(key: string, value: Uint8Array, ttlSeconds: number): Promise<void>;
  delete(key: string): Promise<void>;
}

/** Creates caches, separate for each scope. */
export interface CacheBackend {
  cacheFor(scope: string): ScopedCache;
  /** Clears a cache on all replicas; rejects if that fails. */
  clear(scope: string): Promise<void>;
}
