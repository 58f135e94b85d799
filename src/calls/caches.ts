import type { Module } from '../kernel/module.ts';
import type { Shelves } from '../kernel/ports/shelves.ts';
import { unavailable } from '../kernel/ports/unavailable.ts';
import type { VectorShelves } from '../kernel/ports/vectors.ts';

export interface CachesParts {
  readonly modules: ReadonlyMap<string, Module>;
  readonly shelves: Shelves;
  readonly vectors: VectorShelves;
}

/** What modules that answer from memory keep for tenants. */
export class Caches {
  readonly #parts: CachesParts;

  constructor(parts: CachesParts) {
    this.#parts = parts;
  }

  /** The names of modules that keep answers. */
  get names(): readonly string[] {
    return [...this.#parts.modules.values()].filter(({ cache }) => cache === true).map(({ name }) => name);
  }

  /** Forgets what one of them keeps for a tenant, or all of them, on every replica; refuses where that can't be done. */
  async forget(scope: string, names: readonly string[] = this.names): Promise<void> {
    const { shelves, vectors } = this.#parts;
    for (const name of names) {
      await shelves.forget(shelfName(name, scope));
      const { why } = await vectors.vectors(name, scope).forget();
      if (why !== undefined) throw unavailable('what is cached could not all be forgotten');
    }
  }
}

/** A module's shelf for a tenant. */
export function shelfName(module: string, scope: string): string {
  return `${module}\n${scope}`;
}
