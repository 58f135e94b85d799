import { estimateChunkTokens } from '../kernel/token-estimate.ts';

/**
 * Estimates how much is in frames that nobody reads, from their length: what a frame has around its content is as long
 * as in any other frame of its kind.
 */
export class UnreadContentEstimator {
  tokens = 0;
  calls = 0;
  #kind = 0;
  #overheadChars = 0;

  /** A frame that was read, and how many characters of content it had. */
  calibrate(length: number, kind: number, chars: number): void {
    this.#kind = kind;
    this.#overheadChars = length - chars;
  }

  skip(length: number, kind: number): void {
    if (kind !== this.#kind || length - contentCharsMin < this.#overheadChars) {
      this.#kind = kind;
      this.#overheadChars = length - contentCharsMin;
    }
    this.tokens += estimateChunkTokens(length - this.#overheadChars);
  }
}

/** The shortest frame of a kind has a short word in it, or a mark. */
const contentCharsMin = 2;
