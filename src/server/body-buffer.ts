import { releaseBytes } from '../lib/body-memory.ts';

/** Smaller chunks are collected in blocks of this size: a client may send its body byte by byte. */
const blockBytes = 16 * 1024;

/**
 * Collects the chunks of a body. It allocates the declared length only after an eighth of it has arrived, and uses blocks
 * before that, since a client may declare any length.
 */
export class BodyBuffer {
  /** NaN if the client declared none. */
  readonly #contentLength: number;
  /** Finished blocks. */
  #blocks: Buffer[] = [];
  /** The buffer for the next chunk: the last block, or the whole body. */
  #currentBlock = emptyBuffer;
  #filledBytes = 0;
  #bytes = 0;
  #isContiguous = false;

  constructor(contentLength: number) {
    this.#contentLength = contentLength;
  }

  /** Copies the chunk, and frees its memory if it is large. */
  add(chunk: Buffer): void {
    this.#bytes += chunk.byteLength;
    if (!this.#isContiguous && this.#bytes * 8 >= this.#contentLength) this.#makeContiguous();
    if (this.#filledBytes + chunk.byteLength > this.#currentBlock.byteLength)
      this.#openBlock(chunk.byteLength);
    this.#currentBlock.set(chunk, this.#filledBytes);
    this.#filledBytes += chunk.byteLength;
    if (chunk.byteLength >= blockBytes) releaseBytes(chunk);
  }

  /** The whole body; can be taken once. */
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

  /** Discards all chunks. */
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

/** Frees the whole block, also where its content is shorter. */
function free({ buffer }: Buffer): void {
  releaseBytes(new Uint8Array(buffer));
}
