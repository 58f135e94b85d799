import { inOwnWords } from '../../calls/own-words.ts';
import type { Underway } from '../../calls/underway.ts';
import { operatorPays } from '../../kernel/caller.ts';
import type { HeaderList } from '../../kernel/headers.ts';
import { formatUsd } from '../../kernel/money.ts';
import type { Layout } from '../../kernel/wire-format.ts';
import { FrameGate } from '../../wire/index.ts';
import { asGatewayError, errorEnvelope } from '../respond.ts';
import { answerHeaders } from './answer-headers.ts';
import { type Delivery, told } from './delivery.ts';

/** A stream towards its client: whole frames, with signs of life in silence. It has begun once it is made. */
export class OutgoingStream {
  readonly #delivery: Delivery;
  readonly #layout: Layout | undefined;
  readonly #gate: Layout | FrameGate;
  readonly #keepAlive: NodeJS.Timeout;
  readonly #comesFirst: boolean;
  /** The end of an answer, of which nothing goes out before its receipt is stored, where that comes first. */
  readonly #heldBack: (Uint8Array | string)[] = [];
  #isHeadSent = false;

  constructor(delivery: Delivery, paid: HeaderList) {
    const { res, underway, receipt } = delivery;
    const { received } = underway.exchange;
    underway.sent(underway.reply.status);
    this.#delivery = delivery;
    this.#layout = received.wire.layout?.(received);
    this.#gate = this.#layout ?? new FrameGate();
    this.#comesFirst = receipt?.comesFirst === true;
    const headers = answerHeaders(delivery, 'sse', this.#layout?.contentType);
    for (const text of paid) headers.push(text);
    res.writeHead(underway.reply.status, headers);
    this.#keepAlive = this.#keepingAlive();
  }

  /** The head goes with what is there already; where nothing is, it goes alone. */
  flushHead(): void {
    if (this.#isHeadSent) return;
    this.#delivery.res.flushHead();
    this.#isHeadSent = true;
  }

  /** The frames that are whole by now. */
  framed(chunk: Uint8Array): Uint8Array | undefined {
    return this.#withoutSecrets(this.#gate.push(chunk));
  }

  /** Whether more can be written at once. */
  write(frames: Uint8Array): boolean {
    const { res, underway } = this.#delivery;
    this.#keepAlive.refresh();
    this.#note(frames);
    if (this.#comesFirst && underway.meter.isOver) {
      this.#heldBack.push(frames);
      return true;
    }
    if (res.isOver) return true;
    this.#isHeadSent = true;
    return res.write(frames);
  }

  /** Nothing more comes. */
  finish(): void {
    const { underway } = this.#delivery;
    const rest = this.#withoutSecrets(this.#gate.end());
    const isTraced = this.#layout === undefined && underway.exchange.received.header('x-weir-trace') === 'on';
    const last = rest === undefined ? [] : isTraced ? [rest, '\n\n'] : [rest];
    for (const bytes of last) this.#note(bytes);
    this.#heldBack.push(...last);
    if (isTraced) this.#heldBack.push(traceComment(underway));
  }

  /** Whole frames only went out, so the error stands in a frame of its own. */
  breakOff(thrown: unknown): void {
    const { res, call, underway, receipt, sale } = this.#delivery;
    const { wire } = underway.exchange.received;
    const envelope = errorEnvelope(asGatewayError(shownOf(thrown, underway)), call.id, wire);
    const frame = this.#layout === undefined ? wire.errorFrame(envelope) : this.#layout.broken(envelope);
    if (!res.isOver) receipt?.wrote(frame);
    sale?.wrote(frame);
    this.#heldBack.push(frame);
  }

  /** No signs of life any more. */
  silence(): void {
    clearInterval(this.#keepAlive);
  }

  async end(): Promise<void> {
    const { res, receipt } = this.#delivery;
    await told();
    if (this.#comesFirst) await receipt?.close();
    if (!res.isOver) for (const bytes of this.#heldBack) res.write(bytes);
    res.end();
  }

  /** A key that an error frame quotes may be cut by the pieces it came in, so only whole frames are searched. */
  #withoutSecrets(frames: Uint8Array | undefined): Uint8Array | undefined {
    return frames && this.#delivery.underway.reply.withoutSecrets(frames);
  }

  #note(bytes: Uint8Array | string): void {
    const { receipt, sale } = this.#delivery;
    receipt?.wrote(bytes);
    sale?.wrote(bytes);
  }

  #keepingAlive(): NodeJS.Timeout {
    const { res, underway, keepAliveMs, receipt } = this.#delivery;
    const { wire } = underway.exchange.received;
    // What is hashed must be told apart from what isn't, by a comment; where there can be none, all is hashed.
    const isCommented = this.#layout === undefined && wire.refusesComments === undefined;
    const sign = receipt !== undefined && isCommented ? ownSign : (this.#layout ?? wire).keepAlive;
    return setInterval(() => {
      if (this.#heldBack.length > 0 || res.isOver || res.isFull) return;
      if (!isCommented) receipt?.wrote(sign);
      res.write(sign);
    }, keepAliveMs);
  }
}

/** A comment that nothing else looks like. */
const ownSign = Buffer.from(': weir\n\n');

/** Also in the middle of a stream nobody sees what a provider says to the operator. */
function shownOf(thrown: unknown, { exchange }: Underway): unknown {
  return operatorPays(exchange.caller) ? inOwnWords(thrown) : thrown;
}

/** What is known only at the end, for clients that asked; SSE readers pass over comments. */
function traceComment({ exchange: { trace }, bill, usage }: Underway): string {
  const facts = {
    modules: trace.modulesHeader(),
    cache: trace.cacheHeader(),
    ...(bill !== undefined && { cost_usd: formatUsd(bill.nanoUsd), estimated: bill.estimated }),
    overhead_ms: Number(trace.overheadMs.toFixed(2)),
    usage,
  };
  return `: weir ${JSON.stringify(facts)}\n\n`;
}
