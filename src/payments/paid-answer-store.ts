import { hash } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../kernel/clock.ts';
import { limits } from '../kernel/limits.ts';
import type { PaidAnswer, PaidAnswers, SealedContent } from '../kernel/ports/paid-answers.ts';
import type { Settlements } from '../kernel/ports/settlements.ts';
import { timingSafeTextEqual } from './content-digest.ts';
import type { PaymentCredential } from './payment-credential.ts';
import { PendingPaidAnswer } from './pending-paid-answer.ts';

/** Closes texts to whoever looks into the database. */
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
  /** Of the answer, in base64. */
  type: z.string().optional(),
  body: z.string().optional(),
});

export type PaidAnswerContent = z.output<typeof contentSchema>;

/** What is known of an answer that somebody asks for by its name. */
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
  /** Paid for and broken off, by whatever it was: it is to be made again. */
  | { readonly outcome: 'cut'; readonly receipt: string; readonly work: PendingPaidAnswer }
  /** Paid for, and not to be had any more. */
  | { readonly outcome: 'lost' };

/** Answers that can be asked for again by who paid for them: with the same key, and with the same credential. */
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

  /** Whoever doesn't know the token can neither ask for an answer nor find out that there is one. */
  static nameOf(key: string, { challengeId, token }: PaymentCredential): string {
    return hash('sha256', JSON.stringify(['weir paid answer', key, challengeId, token.reveal()]));
  }

  async lookUp(name: string, digest: string): Promise<PaidAnswerLookup> {
    const { paidAnswers, clock } = this.#parts;
    const found = await paidAnswers.find(name);
    if (found === undefined) return { outcome: 'new' };
    if (!timingSafeTextEqual(found.digest, digest)) return { outcome: 'other-body' };
    if (found.isWhole) return this.#wholeAnswer(found);
    return found.untilMs > clock.now() ? { outcome: 'in-work' } : this.#resolveAbandoned(found);
  }

  /** Undefined where somebody is at it. */
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

  #wholeAnswer(found: PaidAnswer): PaidAnswerLookup {
    const { receipt, type, body } = this.#unsealContent(found) ?? {};
    if (receipt === undefined || type === undefined || body === undefined) return { outcome: 'lost' };
    return { outcome: 'whole', receipt, type, body: Buffer.from(body, 'base64') };
  }

  /** Nobody works at it any more. Whether it was paid for decides what becomes of it. */
  async #resolveAbandoned(found: PaidAnswer): Promise<PaidAnswerLookup> {
    const { paidAnswers, settlements, clock } = this.#parts;
    const { name, untilMs, settlementId } = found;
    const outcome = settlementId === null ? undefined : await settlements.outcome(settlementId);
    // Whoever finds the payment left decides about it.
    if (outcome === null) return { outcome: 'in-work' };
    if (outcome !== 'served') {
      await paidAnswers.forget(name, untilMs);
      return { outcome: 'new' };
    }
    const receipt = this.#unsealContent(found)?.receipt;
    if (receipt === undefined || found.makings >= limits.paidAnswerRetriesMax) return { outcome: 'lost' };
    if (!(await paidAnswers.takeOver(found, clock.now() + limits.settlementLeaseMs)))
      return { outcome: 'in-work' };
    return { outcome: 'cut', receipt, work: this.#createPendingAnswer(name, found.makings + 1, receipt) };
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
