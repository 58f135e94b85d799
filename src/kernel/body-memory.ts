/**
 * Gives the memory of these bytes back at once, where it is theirs alone; whoever still looks at them finds nothing. The
 * collector would get to it too, but each 64 MB that it doesn't know to be free make it search the whole heap.
 */
export function giveBack(bytes: Uint8Array): void {
  const { buffer } = bytes;
  if (buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength) buffer.transfer(0);
}

/** The memory of a large body, given back when the last who keeps it has let go. */
export class BodyMemory {
  readonly #bytes: Uint8Array;
  #keepers = 0;
  #isGone = false;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** It stays until this is called, and until all others who keep it let go as well. */
  keep(): () => void {
    this.#keepers++;
    let isKept = true;
    return () => {
      if (!isKept) return;
      isKept = false;
      this.#keepers--;
      if (this.#keepers > 0) return;
      this.#isGone = true;
      giveBack(this.#bytes);
    };
  }
}
