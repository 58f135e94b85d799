import { limits } from '../limits.ts';

const lineBreak = 10;

/** Splits bytes that are cut anywhere into lines. Lines beyond the limit are left out. */
export class LineSplitter {
  readonly #onLine: (line: Buffer) => void;
  #parts: Uint8Array[] = [];
  #bytes = 0;
  /** Whether a line was left out. */
  hasLongLine = false;

  constructor(onLine: (line: Buffer) => void) {
    this.#onLine = onLine;
  }

  push(chunk: Uint8Array): void {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(lineBreak, start);
      if (end < 0) break;
      this.#add(chunk.subarray(start, end));
      this.end();
      start = end + 1;
    }
    this.#add(chunk.subarray(start));
  }

  /** The last line may have no line break. */
  end(): void {
    if (this.#bytes > limits.batchLineBytesMax) this.hasLongLine = true;
    else if (this.#bytes > 0) this.#onLine(Buffer.concat(this.#parts));
    this.#parts = [];
    this.#bytes = 0;
  }

  #add(part: Uint8Array): void {
    if (part.byteLength === 0) return;
    this.#bytes += part.byteLength;
    // A copy, since the bytes of a chunk may be freed once it was sent.
    if (this.#bytes <= limits.batchLineBytesMax) this.#parts.push(Uint8Array.from(part));
    else this.#parts = [];
  }
}
