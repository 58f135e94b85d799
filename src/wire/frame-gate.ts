import type { ByteFilter } from '../kernel/reply/filter-bytes.ts';
import { appendChunk } from '../lib/append-chunk.ts';
import { limits } from './limits.ts';

/** Passes SSE bytes up to the last complete frame, so that we can write frames of our own in between. */
export class FrameGate implements ByteFilter {
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #lastByte = 0;

  /** The bytes that may go out now; a chunk that ends with a frame is returned unchanged. */
  push(chunk: Uint8Array): Uint8Array | undefined {
    if (chunk.byteLength === 0) return undefined;
    const end = this.#lastFrameEnd(chunk);
    this.#lastByte = chunk[chunk.byteLength - 1] ?? 0;
    if (end === chunk.byteLength) return this.#release(chunk);
    if (end === 0) {
      this.#buffer(chunk);
      // Gives up on an endless frame: from here on the gate passes everything.
      return this.#pendingBytes > limits.frameBytesMax ? this.end() : undefined;
    }
    const released = this.#release(chunk.subarray(0, end));
    this.#buffer(chunk.subarray(end));
    return released;
  }

  /** The rest at the end of the stream. */
  end(): Uint8Array | undefined {
    if (this.#pendingBytes === 0) return undefined;
    return this.#release(new Uint8Array(0));
  }

  #buffer(piece: Uint8Array): void {
    appendChunk(this.#pending, piece);
    this.#pendingBytes += piece.byteLength;
  }

  #release(last: Uint8Array): Uint8Array {
    if (this.#pendingBytes === 0) return last;
    const all = Buffer.concat([...this.#pending, last]);
    this.#pending = [];
    this.#pendingBytes = 0;
    return all;
  }

  /** The end of the last frame in this chunk, or 0. A blank line may start in the previous chunk. */
  #lastFrameEnd(chunk: Uint8Array): number {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const { length } = bytes;
    if (bytes[length - 1] === lineFeed && (length > 1 ? bytes[length - 2] : this.#lastByte) === lineFeed)
      return length;
    let end = blankLineEnd(bytes, bytes.lastIndexOf('\n\n'));
    if (bytes.includes(carriageReturn))
      end = Math.max(
        end,
        blankLineEnd(bytes, bytes.lastIndexOf('\n\r')),
        blankLineEnd(bytes, bytes.lastIndexOf('\r\r')),
      );
    return end > 0 ? end : this.#blankLineAcrossChunks(bytes);
  }

  #blankLineAcrossChunks(bytes: Buffer): number {
    const [first, second] = bytes;
    if (this.#lastByte === lineFeed && first === lineFeed) return 1;
    // The second half of a blank line whose first half has passed.
    if (this.#lastByte === carriageReturn && first === lineFeed && this.#pendingBytes === 0) return 1;
    if ((this.#lastByte === lineFeed || this.#lastByte === carriageReturn) && first === carriageReturn)
      return second === lineFeed ? 2 : 1;
    return 0;
  }
}

function blankLineEnd(bytes: Buffer, pair: number): number {
  if (pair < 0) return 0;
  return bytes[pair + 1] === carriageReturn && bytes[pair + 2] === lineFeed ? pair + 3 : pair + 2;
}

const lineFeed = 10;
const carriageReturn = 13;
