import { hash } from 'node:crypto';
import { z } from 'zod';
import type { PaidAnswer, PaidAnswers, SealedContent } from '../kernel/ports/paid-answers.ts';
import type { Settlements } from '../kernel/ports/settlements.ts';
import type { Clock } from '../lib/clock.ts';
import { timingSafeTextEqual } from './content-digest.ts';
import { limits } from './limits.ts';
import type { PaymentCredential } from './payment-credential.ts';
import { PendingPaidAnswer } from './pending-paid-answer.ts';

/** Encrypts text in the database. */
interface TextSealer {
  seal(text: string, context: string): SealedContent;
  open(content: SealedContent, context: string): string | undefined;
}

export interface PaidAnswerStoreParts {
  readonly paidAnswers: PaidAnswers;
  readonly settlements: Pick<Settlements, 'outcome'>;
  readonly sealer: TextSealer;
  readonly clock: Clock;
  onFault(cause: unknown): void;
}

const contentSchema = z.object({
  receipt: z.string(),
  /** The content type of the answer; its body is in base64. */
  type: z.string().optional(),
  body: z.string().optional(),
});

export type PaidAnswerContent = z.output<typeof contentSchema>;

/** The result of looking up a paid answer by its name. */
export type PaidAnswerLookup =
  | { readonly outcome: 'new' }
  | { readonly outcome: 'in-work' }
  | { readonly outcome: 'other-body' }
  | {
      readonly outcome: 'whole';
      readonly receipt: string;
      readonly type: string;
      readonly body: Uint8Array;
    }
  /** Paid for, but cut off: the answer has to be generated again. */
  | { readonly outcome: 'cut'; readonly receipt: string; readonly work: PendingPaidAnswer }
  /** Paid for, but no longer available. */
  | { readonly outcome: 'lost' };

/** Answers that their payer can request again, with the same key and the same credential. */
export class PaidAnswerStore {
  readonly #parts: PaidAnswerStoreParts;
  readonly #pendingNames = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #lastCleanupMs = 0;

  constructor(parts: PaidAnswerStoreParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = setInterval(() => void this.#renewAndCleanUp(), limits.settlementRenewalMs).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Without the token, a client can neither request an answer nor find out that it exists. */
  static nameOf(key: string, { challengeId, token }: PaymentCredential): string {
    return hash('sha256', JSON.stringify(['weir paid answer', key, challengeId, token.reveal()]));
  }

  async lookUp(name: string, digest: string): Promise<PaidAnswerLookup> {
    const { paidAnswers, clock } = this.#parts;
    const paidAnswer = await paidAnswers.find(name);
    if (paidAnswer === undefined) return { outcome: 'new' };
    if (!timingSafeTextEqual(paidAnswer.digest, digest)) return { outcome: 'other-body' };
    if (paidAnswer.isWhole) return this.#wholeAnswer(paidAnswer);
    return paidAnswer.untilMs > clock.now() ? { outcome: 'in-work' } : this.#resolveAbandoned(paidAnswer);
  }

  /** Undefined if another request is working on it. */
  async claim(name: string, digest: string): Promise<PendingPaidAnswer | undefined> {
    const { paidAnswers, clock } = this.#parts;
    const nowMs = clock.now();
    const untilMs = nowMs + limits.settlementLeaseMs;
    const expiresAtMs = nowMs + limits.paidAnswerKeptMs;
    return (await paidAnswers.claim({ name, digest, untilMs, expiresAtMs }))
      ? this.#createPendingAnswer(name, 1)
      : undefined;
  }

  #createPendingAnswer(name: string, makings: number, receipt?: string): PendingPaidAnswer {
    this.#pendingNames.add(name);
    const { paidAnswers, sealer } = this.#parts;
    const sealContent = (content: PaidAnswerContent) => sealer.seal(JSON.stringify(content), name);
    return new PendingPaidAnswer({
      name,
      receipt,
      canRetry: makings < limits.paidAnswerRetriesMax,
      paidAnswers,
      sealContent,
      onEnd: () => this.#pendingNames.delete(name),
    });
  }

  #wholeAnswer(paidAnswer: PaidAnswer): PaidAnswerLookup {
    const { receipt, type, body } = this.#unsealContent(paidAnswer) ?? {};
    if (receipt === undefined || type === undefined || body === undefined) return { outcome: 'lost' };
    return { outcome: 'whole', receipt, type, body: Buffer.from(body, 'base64') };
  }

  /** No process works on it any more. What happens depends on whether it was paid for. */
  async #resolveAbandoned(paidAnswer: PaidAnswer): Promise<PaidAnswerLookup> {
    const { paidAnswers, settlements, clock } = this.#parts;
    const { name, untilMs, settlementId } = paidAnswer;
    const outcome = settlementId === null ? undefined : await settlements.outcome(settlementId);
    // The sweep of abandoned payments decides about it.
    if (outcome === null) return { outcome: 'in-work' };
    if (outcome !== 'served') {
      await paidAnswers.forget(name, untilMs);
      return { outcome: 'new' };
    }
    const receipt = this.#unsealContent(paidAnswer)?.receipt;
    if (receipt === undefined || paidAnswer.makings >= limits.paidAnswerRetriesMax)
      return { outcome: 'lost' };
    if (!(await paidAnswers.takeOver(paidAnswer, clock.now() + limits.settlementLeaseMs)))
      return { outcome: 'in-work' };
    return {
      outcome: 'cut',
      receipt,
      work: this.#createPendingAnswer(name, paidAnswer.makings + 1, receipt),
    };
  }

  #unsealContent({ name, content }: PaidAnswer): PaidAnswerContent | undefined {
    const text = content === null ? undefined : this.#parts.sealer.open(content, name);
    return text === undefined ? undefined : contentSchema.parse(JSON.parse(text));
  }

  async #renewAndCleanUp(): Promise<void> {
    const { paidAnswers, clock, onFault } = this.#parts;
    const nowMs = clock.now();
    try {
      await paidAnswers.renew([...this.#pendingNames], nowMs + limits.settlementLeaseMs);
      if (nowMs - this.#lastCleanupMs < limits.settlementsTidyMs) return;
      this.#lastCleanupMs = nowMs;
      const { paidAnswersKept: most, paidAnswersBytes: bytesMost } = limits;
      await paidAnswers.tidy({ nowMs, most, bytesMost });
    } catch (fault) {
      onFault(fault);
    }
  }
}
