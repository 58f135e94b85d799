import { tokensOfPiece } from '../kernel/token-estimate.ts';

/**
 * Estimates how much is in frames that nobody reads, from their length: what a frame has around its content is as long
 * as in any other frame of its kind.
 */
export class UnreadContent {
  tokens = 0;
  calls = 0;
  #kind = 0;
  #around = 0;

  /** A frame that was read, and how many characters of content it had. */
  measure(length: number, kind: number, chars: number): void {
    this.#kind = kind;
    this.#around = length - chars;
  }

  pass(length: number, kind: number): void {
    if (kind !== this.#kind || length - leastChars < this.#around) {
      this.#kind = kind;
      this.#around = length - leastChars;
    }
    this.tokens += tokensOfPiece(length - this.#around);
  }
}

/** The shortest frame of a kind has a short word in it, or a mark. */
const leastChars = 2;
