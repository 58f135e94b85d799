/** Bytes kept for a while under a name. What is put may be gone at any time. */
export interface ScopedCache {
  get(key: string): Promise<Uint8Array | undefined>;
  put(key: string, value: Uint8Array, ttlSeconds: number): Promise<void>;
  delete(key: string): Promise<void>;
}

/** Where shelves come from; what one scope keeps, another can't see. */
export interface CacheBackend {
  cacheFor(scope: string): ScopedCache;
  /** Empties a shelf for everybody; fails where that can't be done. */
  clear(scope: string): Promise<void>;
}
