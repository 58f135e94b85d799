import { addPiece } from '../kernel/add-piece.ts';
import { limits } from '../kernel/limits.ts';
import type { ByteFilter } from '../kernel/reply/filtered.ts';

/** Lets server-sent bytes through up to the last whole frame, so that something of ours can be written in between. */
export class FrameGate implements ByteFilter {
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #lastByte = 0;

  /** The bytes that may go out now; a chunk that ends with a frame is returned as it is. */
  push(chunk: Uint8Array): Uint8Array | undefined {
    if (chunk.byteLength === 0) return undefined;
    const end = this.#boundary(chunk);
    this.#lastByte = chunk[chunk.byteLength - 1] ?? 0;
    if (end === chunk.byteLength) return this.#release(chunk);
    if (end === 0) {
      this.#hold(chunk);
      // An endless frame can't be held for ever; from here on the gate only passes it along.
      return this.#heldBytes > limits.frameBytesMax ? this.end() : undefined;
    }
    const released = this.#release(chunk.subarray(0, end));
    this.#hold(chunk.subarray(end));
    return released;
  }

  /** What is left when nothing more comes. */
  end(): Uint8Array | undefined {
    if (this.#heldBytes === 0) return undefined;
    return this.#release(new Uint8Array(0));
  }

  #hold(piece: Uint8Array): void {
    addPiece(this.#held, piece);
    this.#heldBytes += piece.byteLength;
  }

  #release(last: Uint8Array): Uint8Array {
    if (this.#heldBytes === 0) return last;
    const all = Buffer.concat([...this.#held, last]);
    this.#held = [];
    this.#heldBytes = 0;
    return all;
  }

  /** Where the last frame in this chunk ends, or 0. A blank line may begin in the chunk before. */
  #boundary(chunk: Uint8Array): number {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const { length } = bytes;
    if (bytes[length - 1] === lineFeed && (length > 1 ? bytes[length - 2] : this.#lastByte) === lineFeed)
      return length;
    let end = endOf(bytes, bytes.lastIndexOf('\n\n'));
    if (bytes.includes(carriageReturn))
      end = Math.max(end, endOf(bytes, bytes.lastIndexOf('\n\r')), endOf(bytes, bytes.lastIndexOf('\r\r')));
    return end > 0 ? end : this.#blankLineAcross(bytes);
  }

  #blankLineAcross(bytes: Buffer): number {
    const [first, second] = bytes;
    if (this.#lastByte === lineFeed && first === lineFeed) return 1;
    // The second half of a blank line that has been let through already.
    if (this.#lastByte === carriageReturn && first === lineFeed && this.#heldBytes === 0) return 1;
    if ((this.#lastByte === lineFeed || this.#lastByte === carriageReturn) && first === carriageReturn)
      return second === lineFeed ? 2 : 1;
    return 0;
  }
}

function endOf(bytes: Buffer, pair: number): number {
  if (pair < 0) return 0;
  return bytes[pair + 1] === carriageReturn && bytes[pair + 2] === lineFeed ? pair + 3 : pair + 2;
}

const lineFeed = 10;
const carriageReturn = 13;
