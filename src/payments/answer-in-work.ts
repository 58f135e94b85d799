import { limits } from '../kernel/limits.ts';
import type { PaidAnswers, SealedContent } from '../kernel/ports/paid-answers.ts';
import type { AnswerContent } from './answer-book.ts';

interface AnswerInWorkParts {
  readonly name: string;
  /** Where it was paid for before. */
  readonly receipt: string | undefined;
  readonly mayBeMadeAgain: boolean;
  readonly paidAnswers: PaidAnswers;
  seals(content: AnswerContent): SealedContent;
  /** Nobody has to say any more that it is being made. */
  over(): void;
}

/** An answer that is being made, and kept for who may ask for it again. */
export class AnswerInWork {
  readonly #parts: AnswerInWorkParts;
  #receipt: string | undefined;
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  constructor(parts: AnswerInWorkParts) {
    this.#parts = parts;
    this.#receipt = parts.receipt;
  }

  /** Where this one breaks off. */
  get mayBeMadeAgain(): boolean {
    return this.#parts.mayBeMadeAgain;
  }

  /** Before its payer gets anything of it. */
  async paid(settlementId: string, receipt: string): Promise<void> {
    const { paidAnswers, name, seals } = this.#parts;
    this.#receipt = receipt;
    await paidAnswers.paid(name, settlementId, seals({ receipt }));
  }

  wrote(bytes: Uint8Array | string): void {
    const piece = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
    this.#bytes += piece.byteLength;
    if (this.#bytes <= limits.paidAnswerBytesMax) this.#pieces.push(piece);
    else this.#pieces = [];
  }

  /** All of it was written; one that is too long is kept no more than one that nobody may ask for. */
  async keep(type: string): Promise<void> {
    const { paidAnswers, name, seals, over } = this.#parts;
    const receipt = this.#receipt;
    try {
      if (receipt === undefined || this.#bytes > limits.paidAnswerBytesMax) await paidAnswers.forget(name);
      else {
        const body = Buffer.concat(this.#pieces).toString('base64');
        await paidAnswers.keep(name, seals({ receipt, type, body }));
      }
    } finally {
      over();
    }
  }

  /** It came to nothing, and nobody paid for it. */
  async drop(): Promise<void> {
    const { paidAnswers, name, over } = this.#parts;
    over();
    await paidAnswers.forget(name);
  }

  /** It was paid for and cut off: whoever asks for it next has it made again. */
  leave(): void {
    this.#parts.over();
  }
}
