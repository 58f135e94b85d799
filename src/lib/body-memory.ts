/**
 * Frees the memory of these bytes at once if they own their buffer; later readers see an empty buffer. The garbage
 * collector would free it too, but every 64 MB of external memory triggers a full collection.
 */
export function releaseBytes(bytes: Uint8Array): void {
  const { buffer } = bytes;
  if (buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength) buffer.transfer(0);
}

/** The memory of a large body, freed when its last holder releases it. */
export class BodyMemory {
  readonly #bytes: Uint8Array;
  #retainCount = 0;
  #isReleased = false;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isReleased(): boolean {
    return this.#isReleased;
  }

  /** Retains the memory until the returned function is called. */
  retain(): () => void {
    this.#retainCount++;
    let isKept = true;
    return () => {
      if (!isKept) return;
      isKept = false;
      this.#retainCount--;
      if (this.#retainCount > 0) return;
      this.#isReleased = true;
      releaseBytes(this.#bytes);
    };
  }
}
