import { giveBack } from '../kernel/body-memory.ts';

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

  constructor(announced: number) {
    this.#announced = announced;
  }

  add(piece: Buffer): void {
    if (this.#whole !== undefined) {
      this.#copy(piece, this.#whole);
      return;
    }
    this.#apart.push(piece);
    this.#filled += piece.byteLength;
    if (this.#filled * 8 < this.#announced || !(this.#filled < this.#announced)) return;
    const whole = Buffer.allocUnsafeSlow(this.#announced);
    this.#whole = whole;
    this.#filled = 0;
    for (const early of this.#apart) this.#copy(early, whole);
    this.#apart = [];
  }

  /** All of them, once. */
  joined(): Buffer {
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
  }

  #copy(piece: Buffer, whole: Buffer): void {
    piece.copy(whole, this.#filled);
    this.#filled += piece.byteLength;
    if (this.#copied !== undefined) giveBack(this.#copied);
    this.#copied = piece;
  }
}
