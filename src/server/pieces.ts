import { giveBack } from '../kernel/body-memory.ts';

/** Smaller pieces are gathered in blocks of this size: a client may send its body byte by byte. */
const blockBytes = 16 * 1024;

/**
 * The pieces in which a body comes, copied as they come: to one place once an eighth of what was announced is there, and to
 * blocks before that, when an announcement is only a claim.
 */
export class Pieces {
  /** NaN where the client didn't say. */
  readonly #announced: number;
  /** Full, or followed by another. */
  #blocks: Buffer[] = [];
  /** Where the next piece goes if there is room; the last of the blocks, or all of the body. */
  #open = nothing;
  #filled = 0;
  #bytes = 0;
  #isOnePlace = false;

  constructor(announced: number) {
    this.#announced = announced;
  }

  add(piece: Buffer): void {
    this.#bytes += piece.byteLength;
    if (!this.#isOnePlace && this.#bytes * 8 >= this.#announced) this.#moveToOnePlace();
    if (this.#filled + piece.byteLength > this.#open.byteLength) this.#openBlock(piece.byteLength);
    this.#open.set(piece, this.#filled);
    this.#filled += piece.byteLength;
  }

  /** All of them, once. */
  joined(): Buffer {
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
  drop(): void {
    this.#closeBlock();
    this.#blocks.forEach(free);
    this.#blocks = [];
  }

  #openBlock(bytesMin: number): void {
    this.#closeBlock();
    this.#open = Buffer.allocUnsafeSlow(Math.max(bytesMin, blockBytes));
  }

  #closeBlock(): void {
    if (this.#filled > 0) this.#blocks.push(this.#open.subarray(0, this.#filled));
    this.#open = nothing;
    this.#filled = 0;
  }

  #moveToOnePlace(): void {
    this.#closeBlock();
    const blocks = this.#blocks;
    this.#blocks = [];
    this.#isOnePlace = true;
    this.#open = Buffer.allocUnsafeSlow(this.#announced);
    for (const block of blocks) {
      this.#open.set(block, this.#filled);
      this.#filled += block.byteLength;
      free(block);
    }
  }
}

const nothing: Buffer = Buffer.alloc(0);

/** A block has memory of its own, and may not fill it. */
function free({ buffer }: Buffer): void {
  giveBack(new Uint8Array(buffer));
}
