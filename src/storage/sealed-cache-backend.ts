import type { CacheBackend, ScopedCache } from '../kernel/ports/scoped-cache.ts';

/** Makes bytes unreadable where they lie; what was sealed in one context opens in no other. */
export interface ByteSealer {
  seal(content: Uint8Array, context: string): { readonly sealedBy: string; readonly sealed: Uint8Array };
  /** Undefined where no key of ours opens it. */
  openBytes(
    sealed: { readonly sealedBy: string; readonly sealed: Uint8Array },
    context: string,
  ): Uint8Array | undefined;
}

/** The name of the key, which comes first, has so many characters. */
const keyNameBytes = 16;

/** Shelves that others may look into, and read nothing there. */
export class SealedCacheBackend implements CacheBackend {
  readonly #backend: CacheBackend;
  readonly #sealer: ByteSealer;

  constructor(cacheBackend: CacheBackend, sealing: ByteSealer) {
    this.#backend = cacheBackend;
    this.#sealer = sealing;
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
