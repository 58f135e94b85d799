import type { Module } from '../kernel/module.ts';
import type { CacheBackend } from '../kernel/ports/scoped-cache.ts';
import { storageUnavailable } from '../kernel/ports/storage-unavailable.ts';
import type { VectorStores } from '../kernel/ports/vectors.ts';

export interface ModuleCachesParts {
  readonly modules: ReadonlyMap<string, Module>;
  readonly cacheBackend: CacheBackend;
  readonly vectors: VectorStores;
}

/** The caches of modules, by tenant. */
export class ModuleCaches {
  readonly #parts: ModuleCachesParts;

  constructor(parts: ModuleCachesParts) {
    this.#parts = parts;
  }

  /** The names of the modules that cache answers. */
  get names(): readonly string[] {
    return [...this.#parts.modules.values()].filter(({ cache }) => cache === true).map(({ name }) => name);
  }

  /** Clears the cache of one module or of all for a tenant, on every replica; rejects if that fails. */
  async clear(scope: string, names: readonly string[] = this.names): Promise<void> {
    const { cacheBackend, vectors } = this.#parts;
    for (const name of names) {
      await cacheBackend.clear(cacheName(name, scope));
      const { why } = await vectors.vectors(name, scope).forget();
      if (why !== undefined) throw storageUnavailable('the cache could not be cleared completely');
    }
  }
}

/** A module's cache for a tenant. */
export function cacheName(module: string, scope: string): string {
  return `${module}\n${scope}`;
}
