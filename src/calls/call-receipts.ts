import { hash } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import { formatUsd } from '../kernel/money.ts';
import type { ReceiptFacts } from '../receipts/receipt.ts';
import type { ReceiptOffice } from '../receipts/receipt-office.ts';
import type { Known } from './callers.ts';
import { LateHash } from './late-hash.ts';
import type { Underway } from './underway.ts';

/** Receipts of calls, for those who get them. */
export class CallReceipts {
  readonly #office: ReceiptOffice;
  readonly #clock: Clock;

  constructor(office: ReceiptOffice, clock: Clock) {
    this.#office = office;
    this.#clock = clock;
  }

  /** Undefined for a caller who gets none. `request` is the body as the client sent it. */
  open({ session, key }: Known, underway: Underway, request: Uint8Array): OpenReceipt | undefined {
    if (session === undefined && key?.receipts !== true) return undefined;
    const whose: Whose =
      session === undefined
        ? { visibility: 'private', sessionRef: null, accountId: key?.account.id ?? null }
        : { visibility: 'public_demo', sessionRef: session.sessionRef, accountId: null };
    return new OpenReceipt({ office: this.#office, clock: this.#clock, whose, underway, request });
  }
}

type Whose = Pick<ReceiptFacts, 'visibility' | 'sessionRef'> & { readonly accountId: string | null };

interface OpenReceiptParts {
  readonly office: ReceiptOffice;
  readonly clock: Clock;
  readonly whose: Whose;
  readonly underway: Underway;
  readonly request: Uint8Array;
}

/** A receipt of a call that is under way. */
export class OpenReceipt {
  readonly id: string;
  readonly #parts: OpenReceiptParts;
  readonly #response = new LateHash();
  #closed: Promise<void> | undefined;

  constructor(parts: OpenReceiptParts) {
    this.#parts = parts;
    this.id = `rcpt_${parts.underway.exchange.id.slice('req_'.length)}`;
  }

  /** Whether the client gets the end of its answer only when this is stored. */
  get comesFirst(): boolean {
    return this.#parts.whose.visibility === 'public_demo';
  }

  /** What the client gets, but for what the gateway put in. */
  wrote(bytes: Uint8Array | string): void {
    this.#response.add(bytes);
  }

  /** Once the call is over; a call that doesn't count gets none. Resolves when it is stored, where that comes first. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const { office, whose, underway } = this.#parts;
    if (!underway.answered) return;
    const order = { facts: this.#facts(), accountId: whose.accountId };
    if (this.comesFirst) await office.make(order);
    else office.order(order);
  }

  #facts(): ReceiptFacts {
    const { clock, whose, underway, request } = this.#parts;
    const { exchange, usage, bill, ending } = underway;
    const { trace } = exchange;
    const { provider, model } = trace.answeredBy ?? exchange.target;
    return {
      id: this.id,
      sessionRef: whose.sessionRef,
      visibility: whose.visibility,
      createdAtMs: clock.now(),
      model,
      provider: provider.name,
      status: ending?.how ?? 'aborted',
      inputTokens: usage.input_tokens ?? null,
      outputTokens: usage.output_tokens ?? null,
      costUsd: bill === undefined ? null : formatUsd(bill.nanoUsd),
      requestSha256: hash('sha256', request),
      responseSha256: this.#response.digest(),
      modules: trace.steps.map(({ module }) => module),
    };
  }
}
