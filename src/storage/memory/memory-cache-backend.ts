import type { CacheBackend, ScopedCache } from '../../kernel/ports/scoped-cache.ts';
import type { Clock } from '../../lib/clock.ts';
import { limits } from '../limits.ts';

interface CacheEntry {
  readonly value: Uint8Array;
  readonly expiresAtMs: number;
  /** The value of `#puts` at the last use. */
  putsAtLastUse: number;
}

/** A cache in this process. When it is full, it evicts the least recently used entry; uses are ordered between puts only. */
export class MemoryCacheBackend implements CacheBackend {
  readonly #clock: Clock;
  readonly #bytesMax: number;
  readonly #entries = new Map<string, CacheEntry>();
  #bytes = 0;
  #puts = 0;

  constructor(clock: Clock, bytesMax: number = limits.cacheBytesMax) {
    this.#clock = clock;
    this.#bytesMax = bytesMax;
  }

  /** The size of all entries, keys included. */
  get bytes(): number {
    return this.#bytes;
  }

  async clear(scope: string): Promise<void> {
    const prefix = scopedKey(scope, '');
    for (const key of this.#entries.keys()) if (key.startsWith(prefix)) this.#delete(key);
  }

  cacheFor(scope: string): ScopedCache {
    const full = (key: string) => scopedKey(scope, key);
    return {
      get: async (key) => this.#get(full(key)),
      put: async (key, value, ttlSeconds) => this.#put(full(key), value, ttlSeconds),
      delete: async (key) => this.#delete(full(key)),
    };
  }

  #get(key: string): Uint8Array | undefined {
    const cacheEntry = this.#entries.get(key);
    if (cacheEntry === undefined) return undefined;
    if (cacheEntry.expiresAtMs <= this.#clock.now()) {
      this.#delete(key);
      return undefined;
    }
    // The order matters only at a put. Moving an entry at each get would make the map rehash every few calls.
    if (cacheEntry.putsAtLastUse !== this.#puts) {
      cacheEntry.putsAtLastUse = this.#puts;
      this.#entries.delete(key);
      this.#entries.set(key, cacheEntry);
    }
    return cacheEntry.value;
  }

  #put(key: string, value: Uint8Array, ttlSeconds: number): void {
    this.#delete(key);
    if (sizeOf(key, value) > this.#bytesMax) return;
    // Copied, because a small buffer may be a view that keeps a larger one in memory.
    const expiresAtMs = this.#clock.now() + ttlSeconds * 1000;
    this.#entries.set(key, { value: new Uint8Array(value), expiresAtMs, putsAtLastUse: ++this.#puts });
    this.#bytes += sizeOf(key, value);
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#bytesMax) break;
      this.#delete(oldest);
    }
  }

  #delete(key: string): void {
    const cacheEntry = this.#entries.get(key);
    if (cacheEntry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= sizeOf(key, cacheEntry.value);
  }
}

/** The length in front makes the boundary between scope and key unambiguous. */
function scopedKey(scope: string, key: string): string {
  return `${scope.length}:${scope}${key}`;
}

function sizeOf(key: string, value: Uint8Array): number {
  return key.length * 2 + value.byteLength;
}
