const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Cuts bytes into lines. A line of more than `bytesMax` is an error of `onTooLong`, before it is collected. */
export class LineReader {
  readonly #bytesMax: number;
  readonly #onTooLong: () => Error;
  #parts: Uint8Array[] = [];
  #bytes = 0;
  #skipsLineFeed = false;

  constructor(bytesMax: number, onTooLong: () => Error) {
    this.#bytesMax = bytesMax;
    this.#onTooLong = onTooLong;
  }

  /** The lines that are complete now, without their ends. */
  *push(chunk: Uint8Array): Generator<Uint8Array> {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte !== lineFeed && byte !== carriageReturn) {
        this.#skipsLineFeed = false;
        continue;
      }
      // CRLF is one end of a line, also across chunks.
      if (byte === lineFeed && this.#skipsLineFeed) {
        this.#skipsLineFeed = false;
        from = at + 1;
        continue;
      }
      this.#skipsLineFeed = byte === carriageReturn;
      yield this.#complete(chunk.subarray(from, at));
      from = at + 1;
    }
    if (from < chunk.length) this.#keep(chunk.subarray(from));
  }

  #keep(part: Uint8Array): void {
    this.#bytes += part.byteLength;
    if (this.#bytes > this.#bytesMax) throw this.#onTooLong();
    this.#parts.push(part);
  }

  #complete(last: Uint8Array): Uint8Array {
    if (this.#parts.length === 0 && last.byteLength <= this.#bytesMax) return last;
    this.#keep(last);
    const line = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#bytes = 0;
    return line;
  }
}
