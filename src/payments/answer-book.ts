import { hash } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../kernel/clock.ts';
import { limits } from '../kernel/limits.ts';
import type { PaidAnswer, PaidAnswers, SealedContent } from '../kernel/ports/paid-answers.ts';
import type { Settlements } from '../kernel/ports/settlements.ts';
import { AnswerInWork } from './answer-in-work.ts';
import { sameText } from './content-digest.ts';
import type { Credential } from './credential.ts';

/** Closes texts to whoever looks into the database. */
interface Seal {
  seal(text: string, context: string): SealedContent;
  open(content: SealedContent, context: string): string | undefined;
}

export interface AnswerBookParts {
  readonly paidAnswers: PaidAnswers;
  readonly settlements: Pick<Settlements, 'outcome'>;
  readonly seal: Seal;
  readonly clock: Clock;
  onFault(cause: unknown): void;
}

const contentSchema = z.object({
  receipt: z.string(),
  /** Of the answer, in base64. */
  type: z.string().optional(),
  body: z.string().optional(),
});

export type AnswerContent = z.output<typeof contentSchema>;

/** What is known of an answer that somebody asks for by its name. */
export type Looked =
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
  | { readonly outcome: 'cut'; readonly receipt: string; readonly work: AnswerInWork }
  /** Paid for, and not to be had any more. */
  | { readonly outcome: 'lost' };

/** Answers that can be asked for again by who paid for them: with the same key, and with the same credential. */
export class AnswerBook {
  readonly #parts: AnswerBookParts;
  readonly #inWork = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #tidiedAtMs = 0;

  constructor(parts: AnswerBookParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = setInterval(() => void this.#turn(), limits.settlementRenewalMs).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Whoever doesn't know the token can neither ask for an answer nor find out that there is one. */
  static nameOf(key: string, { challengeId, token }: Credential): string {
    return hash('sha256', JSON.stringify(['weir paid answer', key, challengeId, token.reveal()]));
  }

  async look(name: string, digest: string): Promise<Looked> {
    const { paidAnswers, clock } = this.#parts;
    const found = await paidAnswers.find(name);
    if (found === undefined) return { outcome: 'new' };
    if (!sameText(found.digest, digest)) return { outcome: 'other-body' };
    if (found.isWhole) return this.#whole(found);
    return found.untilMs > clock.now() ? { outcome: 'in-work' } : this.#left(found);
  }

  /** Undefined where somebody is at it. */
  async claim(name: string, digest: string): Promise<AnswerInWork | undefined> {
    const { paidAnswers, clock } = this.#parts;
    const nowMs = clock.now();
    const untilMs = nowMs + limits.settlementLeaseMs;
    const expiresAtMs = nowMs + limits.paidAnswerKeptMs;
    return (await paidAnswers.claim({ name, digest, untilMs, expiresAtMs }))
      ? this.#work(name, 1)
      : undefined;
  }

  #work(name: string, makings: number, receipt?: string): AnswerInWork {
    this.#inWork.add(name);
    const { paidAnswers, seal } = this.#parts;
    const seals = (content: AnswerContent) => seal.seal(JSON.stringify(content), name);
    return new AnswerInWork({
      name,
      receipt,
      mayBeMadeAgain: makings < limits.paidMakingsMax,
      paidAnswers,
      seals,
      over: () => this.#inWork.delete(name),
    });
  }

  #whole(found: PaidAnswer): Looked {
    const { receipt, type, body } = this.#content(found) ?? {};
    if (receipt === undefined || type === undefined || body === undefined) return { outcome: 'lost' };
    return { outcome: 'whole', receipt, type, body: Buffer.from(body, 'base64') };
  }

  /** Nobody works at it any more. Whether it was paid for decides what becomes of it. */
  async #left(found: PaidAnswer): Promise<Looked> {
    const { paidAnswers, settlements, clock } = this.#parts;
    const { name, untilMs, settlementId } = found;
    const outcome = settlementId === null ? undefined : await settlements.outcome(settlementId);
    // Whoever finds the payment left decides about it.
    if (outcome === null) return { outcome: 'in-work' };
    if (outcome !== 'served') {
      await paidAnswers.forget(name, untilMs);
      return { outcome: 'new' };
    }
    const receipt = this.#content(found)?.receipt;
    if (receipt === undefined || found.makings >= limits.paidMakingsMax) return { outcome: 'lost' };
    if (!(await paidAnswers.takeOver(found, clock.now() + limits.settlementLeaseMs)))
      return { outcome: 'in-work' };
    return { outcome: 'cut', receipt, work: this.#work(name, found.makings + 1, receipt) };
  }

  #content({ name, content }: PaidAnswer): AnswerContent | undefined {
    const text = content === null ? undefined : this.#parts.seal.open(content, name);
    return text === undefined ? undefined : contentSchema.parse(JSON.parse(text));
  }

  async #turn(): Promise<void> {
    const { paidAnswers, clock, onFault } = this.#parts;
    const nowMs = clock.now();
    try {
      await paidAnswers.renew([...this.#inWork], nowMs + limits.settlementLeaseMs);
      if (nowMs - this.#tidiedAtMs < limits.settlementsTidyMs) return;
      this.#tidiedAtMs = nowMs;
      const { paidAnswersKept: most, paidAnswersBytes: bytesMost } = limits;
      await paidAnswers.tidy({ nowMs, most, bytesMost });
    } catch (fault) {
      onFault(fault);
    }
  }
}
