/**
 * Gives the memory of these bytes back at once, where it is theirs alone; whoever still looks at them finds nothing. The
 * collector would get to it too, but each 64 MB that it doesn't know to be free make it search the whole heap.
 */
export function releaseBytes(bytes: Uint8Array): void {
  const { buffer } = bytes;
  if (buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength) buffer.transfer(0);
}

/** The memory of a large body, given back when the last who keeps it has let go. */
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

  /** It stays until this is called, and until all others who keep it let go as well. */
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
