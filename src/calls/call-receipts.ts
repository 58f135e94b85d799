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
  open(identity: CallerIdentity, call: InFlightCall, request: Uint8Array): OpenReceipt | undefined {
    const { id } = call.exchange;
    return this.openFor(identity, { id, request, describe: () => describeCall(call) });
  }

  openFor({ session, key }: CallerIdentity, subject: ReceiptSubject): OpenReceipt | undefined {
    if (session === undefined && key?.receipts !== true) return undefined;
    const owner: ReceiptOwner =
      session === undefined
        ? { visibility: 'private', sessionRef: null, accountId: key?.account.id ?? null }
        : { visibility: 'public_demo', sessionRef: session.sessionRef, accountId: null };
    return new OpenReceipt({ issuer: this.#issuer, clock: this.#clock, owner, subject });
  }
}

/** What a receipt is about. */
export interface ReceiptSubject {
  /** The id of the request. */
  readonly id: string;
  /** The body as the client sent it. */
  readonly request: Uint8Array;
  /** Called at the end; undefined for a call that gets no receipt. */
  describe(): CallDescription | undefined;
}

/** A receipt without its owner, its time and its hashes of bodies. */
type CallDescription = Omit<
  ReceiptDetails,
  'id' | 'visibility' | 'sessionRef' | 'createdAtMs' | 'requestSha256' | 'responseSha256'
>;

type ReceiptOwner = Pick<ReceiptDetails, 'visibility' | 'sessionRef'> & { readonly accountId: string | null };

interface OpenReceiptParts {
  readonly issuer: ReceiptIssuer;
  readonly clock: Clock;
  readonly owner: ReceiptOwner;
  readonly subject: ReceiptSubject;
}

/** A receipt of a call in flight. */
export class OpenReceipt {
  readonly id: string;
  readonly #parts: OpenReceiptParts;
  readonly #response = new DeferredHash();
  #closed: Promise<void> | undefined;

  constructor(parts: OpenReceiptParts) {
    this.#parts = parts;
    this.id = `rcpt_${parts.subject.id.slice('req_'.length)}`;
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
    const { issuer, clock, owner, subject } = this.#parts;
    const description = subject.describe();
    if (description === undefined) return;
    const { accountId, ...ownership } = owner;
    const details = {
      ...{ ...description, ...ownership, id: this.id, createdAtMs: clock.now() },
      requestSha256: hash('sha256', subject.request),
      responseSha256: this.#response.digest(),
    };
    if (this.isStoredFirst) await issuer.issue({ details, accountId });
    else issuer.order({ details, accountId });
  }
}

function describeCall({
  answered,
  exchange,
  usage,
  bill,
  ending,
}: InFlightCall): CallDescription | undefined {
  if (!answered) return undefined;
  const { trace } = exchange;
  const { provider, model } = trace.answeredBy ?? exchange.target;
  return {
    model,
    provider: provider.name,
    status: ending?.how ?? 'aborted',
    inputTokens: usage.input_tokens ?? null,
    outputTokens: usage.output_tokens ?? null,
    costUsd: bill === undefined ? null : formatUsd(bill.nanoUsd),
    modules: trace.steps.map(({ module }) => module),
    egress: egressOf(trace.egress),
    toolCalls: trace.toolCalls,
  };
}

function egressOf(record: EgressRecord | undefined): ReceiptEgress | undefined {
  return record && { airgap: record.airgap, requests: record.requests, refused: record.refused };
}
