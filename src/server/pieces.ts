import { giveBack } from '../kernel/body-memory.ts';

/** Smaller pieces are gathered, once there were a few: each takes some 300 bytes beside its own, and a client may send them byte by byte. */
const crumbBytesMax = 1024;
const fewMax = 16;
const blockBytes = 16 * 1024;

/**
 * The pieces in which a body comes, put together on the way once an eighth of what was announced is there; before that, an
 * announcement is only a claim. A piece that was copied is given back when the next one comes: until then its parser may
 * be at it.
 */
export class Pieces {
  /** NaN where the client didn't say. */
  readonly #announced: number;
  #apart: Buffer[] = [];
  #whole: Buffer | undefined;
  #filled = 0;
  #copied: Buffer | undefined;
  /** Where crumbs are gathered; those from `#blockFrom` on don't stand among the others yet. */
  #block: Buffer | undefined;
  #blockFrom = 0;
  #blockEnd = 0;

  constructor(announced: number) {
    this.#announced = announced;
  }

  add(piece: Buffer): void {
    if (this.#whole !== undefined) {
      this.#copy(piece, this.#whole);
      return;
    }
    if (piece.byteLength < crumbBytesMax && this.#apart.length >= fewMax) this.#gather(piece);
    else {
      this.#closeBlock();
      this.#apart.push(piece);
    }
    this.#filled += piece.byteLength;
    if (this.#filled * 8 < this.#announced || !(this.#filled < this.#announced)) return;
    this.#closeBlock();
    const whole = Buffer.allocUnsafeSlow(this.#announced);
    this.#whole = whole;
    this.#filled = 0;
    for (const early of this.#apart) this.#copy(early, whole);
    this.#apart = [];
  }

  /** All of them, once. */
  joined(): Buffer {
    this.#closeBlock();
    const [only] = this.#apart;
    if (this.#whole === undefined && this.#apart.length === 1 && only !== undefined) return only;
    const whole = this.#whole?.subarray(0, this.#filled) ?? Buffer.concat(this.#apart);
    for (const piece of this.#apart) giveBack(piece);
    this.drop();
    return whole;
  }

  drop(): void {
    if (this.#copied !== undefined) giveBack(this.#copied);
    this.#copied = undefined;
    this.#whole = undefined;
    this.#apart = [];
    this.#block = undefined;
  }

  #gather(crumb: Buffer): void {
    if (this.#block === undefined || this.#blockEnd + crumb.byteLength > blockBytes) {
      this.#closeBlock();
      this.#block = Buffer.allocUnsafeSlow(blockBytes);
      this.#blockFrom = 0;
      this.#blockEnd = 0;
    }
    this.#block.set(crumb, this.#blockEnd);
    this.#blockEnd += crumb.byteLength;
  }

  /** What follows comes after what was gathered. */
  #closeBlock(): void {
    if (this.#block === undefined || this.#blockFrom === this.#blockEnd) return;
    this.#apart.push(this.#block.subarray(this.#blockFrom, this.#blockEnd));
    this.#blockFrom = this.#blockEnd;
  }

  #copy(piece: Buffer, whole: Buffer): void {
    piece.copy(whole, this.#filled);
    this.#filled += piece.byteLength;
    if (this.#copied !== undefined) giveBack(this.#copied);
    this.#copied = piece;
  }
}
