import type { Shelf, Shelves } from '../kernel/ports/shelves.ts';

/** Makes bytes unreadable where they lie; what was sealed in one context opens in no other. */
export interface ByteSealing {
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
export class SealedShelves implements Shelves {
  readonly #shelves: Shelves;
  readonly #sealing: ByteSealing;

  constructor(shelves: Shelves, sealing: ByteSealing) {
    this.#shelves = shelves;
    this.#sealing = sealing;
  }

  forget(scope: string): Promise<void> {
    return this.#shelves.forget(scope);
  }

  shelf(scope: string): Shelf {
    const shelf = this.#shelves.shelf(scope);
    const context = (key: string) => JSON.stringify([scope, key]);
    return {
      get: async (key) => {
        const bytes = await shelf.get(key);
        if (bytes === undefined) return undefined;
        const sealedBy = Buffer.from(bytes.subarray(0, keyNameBytes)).toString('latin1');
        return this.#sealing.openBytes({ sealedBy, sealed: bytes.subarray(keyNameBytes) }, context(key));
      },
      put: (key, value, ttlSeconds) => {
        const { sealedBy, sealed } = this.#sealing.seal(value, context(key));
        return shelf.put(key, Buffer.concat([Buffer.from(sealedBy, 'latin1'), sealed]), ttlSeconds);
      },
      delete: (key) => shelf.delete(key),
    };
  }
}
