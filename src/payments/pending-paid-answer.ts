import type { PaidAnswers, SealedContent } from '../kernel/ports/paid-answers.ts';
import { limits } from './limits.ts';
import type { PaidAnswerContent } from './paid-answer-store.ts';

interface PendingPaidAnswerParts {
  readonly name: string;
  /** The receipt, if it was paid for before. */
  readonly receipt: string | undefined;
  readonly canRetry: boolean;
  readonly paidAnswers: PaidAnswers;
  sealContent(content: PaidAnswerContent): SealedContent;
  /** Called when its lease need not be renewed any longer. */
  onEnd(): void;
}

/** An answer being generated, and stored so that its payer can request it again. */
export class PendingPaidAnswer {
  readonly #parts: PendingPaidAnswerParts;
  #receipt: string | undefined;
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  constructor(parts: PendingPaidAnswerParts) {
    this.#parts = parts;
    this.#receipt = parts.receipt;
  }

  /** Whether it can be generated again if it is cut off. */
  get canRetry(): boolean {
    return this.#parts.canRetry;
  }

  /** Call this before sending anything to the payer. */
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

  /** The answer is complete. It is not stored if it is too long or was not paid for. */
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

  /** There is no answer, and it was not paid for. */
  async discard(): Promise<void> {
    const { paidAnswers, name, onEnd } = this.#parts;
    onEnd();
    await paidAnswers.forget(name);
  }

  /** It was paid for and cut off: the next request generates it again. */
  abandon(): void {
    this.#parts.onEnd();
  }
}
