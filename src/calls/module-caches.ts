import type { Module } from '../kernel/module.ts';
import type { CacheBackend } from '../kernel/ports/scoped-cache.ts';
import { storageUnavailable } from '../kernel/ports/storage-unavailable.ts';
import type { VectorStores } from '../kernel/ports/vectors.ts';

export interface ModuleCachesParts {
  readonly modules: ReadonlyMap<string, Module>;
  readonly cacheBackend: CacheBackend;
  readonly vectors: VectorStores;
}

/** What modules that answer from memory keep for tenants. */
export class ModuleCaches {
  readonly #parts: ModuleCachesParts;

  constructor(parts: ModuleCachesParts) {
    this.#parts = parts;
  }

  /** The names of modules that keep answers. */
  get names(): readonly string[] {
    return [...this.#parts.modules.values()].filter(({ cache }) => cache === true).map(({ name }) => name);
  }

  /** Forgets what one of them keeps for a tenant, or all of them, on every replica; refuses where that can't be done. */
  async clear(scope: string, names: readonly string[] = this.names): Promise<void> {
    const { cacheBackend, vectors } = this.#parts;
    for (const name of names) {
      await cacheBackend.clear(cacheName(name, scope));
      const { why } = await vectors.vectors(name, scope).forget();
      if (why !== undefined) throw storageUnavailable('what is cached could not all be forgotten');
    }
  }
}

/** A module's shelf for a tenant. */
export function cacheName(module: string, scope: string): string {
  return `${module}\n${scope}`;
}
