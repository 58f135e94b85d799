import { estimateChunkTokens } from '../kernel/token-estimate.ts';

/**
 * Estimates the content of unread frames from their length: the rest of a frame is equally long in all frames of its
 * kind.
 */
export class UnreadContentEstimator {
  tokens = 0;
  calls = 0;
  #kind = 0;
  #overheadChars = 0;

  /** Records the length of a read frame and of its content. */
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

/** The shortest frame of a kind contains a short word or a punctuation mark. */
const contentCharsMin = 2;
