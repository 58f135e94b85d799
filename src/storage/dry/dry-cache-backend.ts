import type { CacheBackend, ScopedCache } from '../../kernel/ports/scoped-cache.ts';

/** Reads from another backend, and keeps changes to itself. */
export class DryCacheBackend implements CacheBackend {
  readonly #backend: CacheBackend;
  /** By scope and key; undefined for deleted entries. */
  readonly #changes = new Map<string, Uint8Array | undefined>();

  constructor(backend: CacheBackend) {
    this.#backend = backend;
  }

  cacheFor(scope: string): ScopedCache {
    const stored = this.#backend.cacheFor(scope);
    const nameOf = (key: string) => `${scope}\n${key}`;
    return {
      get: async (key) => (this.#changes.has(nameOf(key)) ? this.#changes.get(nameOf(key)) : stored.get(key)),
      put: async (key, value) => void this.#changes.set(nameOf(key), value),
      delete: async (key) => void this.#changes.set(nameOf(key), undefined),
    };
  }

  async clear(): Promise<void> {}
}
