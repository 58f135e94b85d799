import { hash } from 'node:crypto';
import type { EgressRecord } from '../kernel/egress-record.ts';
import { formatUsd } from '../kernel/money.ts';
import type { Clock } from '../lib/clock.ts';
import type { ReceiptDetails, ReceiptEgress } from '../receipts/receipt.ts';
import type { ReceiptIssuer } from '../receipts/receipt-issuer.ts';
import type { CallerIdentity } from './caller-authenticator.ts';
import { DeferredHash } from './deferred-hash.ts';
import type { InFlightCall } from './in-flight-call.ts';

/** Creates receipts for calls of anonymous sessions and of keys with receipts enabled. */
export class CallReceipts {
  readonly #issuer: ReceiptIssuer;
  readonly #clock: Clock;

  constructor(issuer: ReceiptIssuer, clock: Clock) {
    this.#issuer = issuer;
    this.#clock = clock;
  }

  /** Undefined if the caller gets no receipts. `request` is the body as the client sent it. */
  open({ session, key }: CallerIdentity, call: InFlightCall, request: Uint8Array): OpenReceipt | undefined {
    if (session === undefined && key?.receipts !== true) return undefined;
    const owner: ReceiptOwner =
      session === undefined
        ? { visibility: 'private', sessionRef: null, accountId: key?.account.id ?? null }
        : { visibility: 'public_demo', sessionRef: session.sessionRef, accountId: null };
    return new OpenReceipt({ issuer: this.#issuer, clock: this.#clock, owner, call, request });
  }
}

type ReceiptOwner = Pick<ReceiptDetails, 'visibility' | 'sessionRef'> & { readonly accountId: string | null };

interface OpenReceiptParts {
  readonly issuer: ReceiptIssuer;
  readonly clock: Clock;
  readonly owner: ReceiptOwner;
  readonly call: InFlightCall;
  readonly request: Uint8Array;
}

/** A receipt of a call in flight. */
export class OpenReceipt {
  readonly id: string;
  readonly #parts: OpenReceiptParts;
  readonly #response = new DeferredHash();
  #closed: Promise<void> | undefined;

  constructor(parts: OpenReceiptParts) {
    this.#parts = parts;
    this.id = `rcpt_${parts.call.exchange.id.slice('req_'.length)}`;
  }

  /** Whether the receipt must be stored before the client gets the end of its answer. */
  get isStoredFirst(): boolean {
    return this.#parts.owner.visibility === 'public_demo';
  }

  /** Adds response bytes, without those that the gateway inserted. */
  addResponseBytes(bytes: Uint8Array | string): void {
    this.#response.add(bytes);
  }

  /**
   * Issues the receipt when the call has ended, unless the call doesn't count. Resolves when it is stored if
   * `isStoredFirst`.
   */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const { issuer, owner, call } = this.#parts;
    if (!call.answered) return;
    const order = { details: this.#facts(), accountId: owner.accountId };
    if (this.isStoredFirst) await issuer.issue(order);
    else issuer.order(order);
  }

  #facts(): ReceiptDetails {
    const { clock, owner, call, request } = this.#parts;
    const { exchange, usage, bill, ending } = call;
    const { trace } = exchange;
    const { provider, model } = trace.answeredBy ?? exchange.target;
    return {
      id: this.id,
      sessionRef: owner.sessionRef,
      visibility: owner.visibility,
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
      egress: egressOf(trace.egress),
      toolCalls: trace.toolCalls,
    };
  }
}

function egressOf(record: EgressRecord | undefined): ReceiptEgress | undefined {
  return record && { airgap: record.airgap, requests: record.requests, refused: record.refused };
}
