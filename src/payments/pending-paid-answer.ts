import { limits } from '../kernel/limits.ts';
import type { PaidAnswers, SealedContent } from '../kernel/ports/paid-answers.ts';
import type { PaidAnswerContent } from './paid-answer-store.ts';

interface PendingPaidAnswerParts {
  readonly name: string;
  /** Where it was paid for before. */
  readonly receipt: string | undefined;
  readonly canRetry: boolean;
  readonly paidAnswers: PaidAnswers;
  sealContent(content: PaidAnswerContent): SealedContent;
  /** Nobody has to say any more that it is being made. */
  onEnd(): void;
}

/** An answer that is being made, and kept for who may ask for it again. */
export class PendingPaidAnswer {
  readonly #parts: PendingPaidAnswerParts;
  #receipt: string | undefined;
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  constructor(parts: PendingPaidAnswerParts) {
    this.#parts = parts;
    this.#receipt = parts.receipt;
  }

  /** Where this one breaks off. */
  get canRetry(): boolean {
    return this.#parts.canRetry;
  }

  /** Before its payer gets anything of it. */
  async recordPayment(settlementId: string, receipt: string): Promise<void> {
    const { paidAnswers, name, sealContent } = this.#parts;
    this.#receipt = receipt;
    await paidAnswers.markPaid(name, settlementId, sealContent({ receipt }));
  }

  append(bytes: Uint8Array | string): void {
    const piece = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
    this.#bytes += piece.byteLength;
    if (this.#bytes <= limits.paidAnswerBytesMax) this.#pieces.push(piece);
    else this.#pieces = [];
  }

  /** All of it was written; one that is too long is kept no more than one that nobody may ask for. */
  async complete(type: string): Promise<void> {
    const { paidAnswers, name, sealContent, onEnd } = this.#parts;
    const receipt = this.#receipt;
    try {
      if (receipt === undefined || this.#bytes > limits.paidAnswerBytesMax) await paidAnswers.forget(name);
      else {
        const body = Buffer.concat(this.#pieces).toString('base64');
        await paidAnswers.storeWhole(name, sealContent({ receipt, type, body }));
      }
    } finally {
      onEnd();
    }
  }

  /** It came to nothing, and nobody paid for it. */
  async discard(): Promise<void> {
    const { paidAnswers, name, onEnd } = this.#parts;
    onEnd();
    await paidAnswers.forget(name);
  }

  /** It was paid for and cut off: whoever asks for it next has it made again. */
  abandon(): void {
    this.#parts.onEnd();
  }
}
