import { releaseBytes } from '../kernel/body-memory.ts';

/** Smaller pieces are gathered in blocks of this size: a client may send its body byte by byte. */
const blockBytes = 16 * 1024;

/**
 * The pieces in which a body comes, copied as they come: to one place once an eighth of what was announced is there, and to
 * blocks before that, when an announcement is only a claim.
 */
export class BodyBuffer {
  /** NaN where the client didn't say. */
  readonly #contentLength: number;
  /** Full, or followed by another. */
  #blocks: Buffer[] = [];
  /** Where the next piece goes if there is room; the last of the blocks, or all of the body. */
  #currentBlock = emptyBuffer;
  #filledBytes = 0;
  #bytes = 0;
  #isContiguous = false;

  constructor(announced: number) {
    this.#contentLength = announced;
  }

  add(piece: Buffer): void {
    this.#bytes += piece.byteLength;
    if (!this.#isContiguous && this.#bytes * 8 >= this.#contentLength) this.#makeContiguous();
    if (this.#filledBytes + piece.byteLength > this.#currentBlock.byteLength)
      this.#openBlock(piece.byteLength);
    this.#currentBlock.set(piece, this.#filledBytes);
    this.#filledBytes += piece.byteLength;
  }

  /** All of them, once. */
  toBuffer(): Buffer {
    this.#closeBlock();
    const blocks = this.#blocks;
    this.#blocks = [];
    const [only] = blocks;
    if (only !== undefined && blocks.length === 1) return only;
    const whole = Buffer.concat(blocks);
    blocks.forEach(free);
    return whole;
  }

  /** Nobody wants them any more. */
  discard(): void {
    this.#closeBlock();
    this.#blocks.forEach(free);
    this.#blocks = [];
  }

  #openBlock(bytesMin: number): void {
    this.#closeBlock();
    this.#currentBlock = Buffer.allocUnsafeSlow(Math.max(bytesMin, blockBytes));
  }

  #closeBlock(): void {
    if (this.#filledBytes > 0) this.#blocks.push(this.#currentBlock.subarray(0, this.#filledBytes));
    this.#currentBlock = emptyBuffer;
    this.#filledBytes = 0;
  }

  #makeContiguous(): void {
    this.#closeBlock();
    const blocks = this.#blocks;
    this.#blocks = [];
    this.#isContiguous = true;
    this.#currentBlock = Buffer.allocUnsafeSlow(this.#contentLength);
    for (const block of blocks) {
      this.#currentBlock.set(block, this.#filledBytes);
      this.#filledBytes += block.byteLength;
      free(block);
    }
  }
}

const emptyBuffer: Buffer = Buffer.alloc(0);

/** A block has memory of its own, and may not fill it. */
function free({ buffer }: Buffer): void {
  releaseBytes(new Uint8Array(buffer));
}
