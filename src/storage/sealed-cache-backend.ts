import type { CacheBackend, ScopedCache } from '../kernel/ports/scoped-cache.ts';

/** Encrypts bytes at rest. Bytes sealed in one context can't be opened in another. */
export interface ByteSealer {
  seal(content: Uint8Array, context: string): { readonly sealedBy: string; readonly sealed: Uint8Array };
  /** Undefined if none of our keys opens it. */
  openBytes(
    sealed: { readonly sealedBy: string; readonly sealed: Uint8Array },
    context: string,
  ): Uint8Array | undefined;
}

/** The length of the key name in front of each value. */
const keyNameBytes = 16;

/** Encrypts the values of another cache backend. */
export class SealedCacheBackend implements CacheBackend {
  readonly #backend: CacheBackend;
  readonly #sealer: ByteSealer;

  constructor(cacheBackend: CacheBackend, sealer: ByteSealer) {
    this.#backend = cacheBackend;
    this.#sealer = sealer;
  }

  clear(scope: string): Promise<void> {
    return this.#backend.clear(scope);
  }

  cacheFor(scope: string): ScopedCache {
    const scopedCache = this.#backend.cacheFor(scope);
    const context = (key: string) => JSON.stringify([scope, key]);
    return {
      get: async (key) => {
        const bytes = await scopedCache.get(key);
        if (bytes === undefined) return undefined;
        const sealedBy = Buffer.from(bytes.subarray(0, keyNameBytes)).toString('latin1');
        return this.#sealer.openBytes({ sealedBy, sealed: bytes.subarray(keyNameBytes) }, context(key));
      },
      put: (key, value, ttlSeconds) => {
        const { sealedBy, sealed } = this.#sealer.seal(value, context(key));
        return scopedCache.put(key, Buffer.concat([Buffer.from(sealedBy, 'latin1'), sealed]), ttlSeconds);
      },
      delete: (key) => scopedCache.delete(key),
    };
  }
}
