import { hideProviderError } from '../../calls/hide-provider-error.ts';
import type { InFlightCall } from '../../calls/in-flight-call.ts';
import type { HttpResponse } from '../../http/response.ts';
import { operatorPays } from '../../kernel/caller.ts';
import { isInterruption } from '../../kernel/errors.ts';
import { formatUsd } from '../../kernel/money.ts';
import type { StreamLayout } from '../../kernel/wire-format.ts';
import type { HeaderList } from '../../lib/headers.ts';
import { queueImmediate } from '../../lib/queue-immediate.ts';
import { FrameGate } from '../../wire/index.ts';
import { limits } from '../limits.ts';
import { asGatewayError, errorEnvelope } from '../respond.ts';
import { type Delivery, waitUntilRecorded } from './delivery.ts';
import { responseHeaders } from './response-headers.ts';

/** A response stream: sends whole frames and keep-alives. The constructor starts the response. */
export class OutgoingStream {
  readonly #delivery: Delivery;
  readonly #layout: StreamLayout | undefined;
  readonly #gate: StreamLayout | FrameGate;
  readonly #keepAlive: NodeJS.Timeout;
  readonly #isReceiptStoredFirst: boolean;
  /** The end of the answer, held back until its receipt is stored, if it gets one. */
  readonly #delayedFrames: (Uint8Array | string)[] = [];
  #isHeadSent = false;
  #isBroken = false;

  constructor(delivery: Delivery, paid: HeaderList) {
    const { res, inFlightCall, receipt } = delivery;
    const { clientRequest } = inFlightCall.exchange;
    inFlightCall.headSent(inFlightCall.reply.status);
    this.#delivery = delivery;
    this.#layout = clientRequest.wire.layout?.(clientRequest);
    this.#gate = this.#layout ?? new FrameGate();
    this.#isReceiptStoredFirst = receipt?.isStoredFirst === true;
    const headers = responseHeaders(delivery, 'sse', this.#layout?.contentType);
    for (const text of paid) headers.push(text);
    res.writeHead(inFlightCall.reply.status, headers);
    this.#keepAlive = this.#startKeepAlive();
    // The head goes out with the first frames, or alone if none come in this turn of the event loop.
    queueImmediate(() => {
      if (!this.#isHeadSent) res.flushHead();
    });
  }

  /** Writes the frames that are complete. */
  takeFrames(chunk: Uint8Array): Uint8Array | undefined {
    return this.#withoutSecrets(this.#gate.push(chunk));
  }

  /** Whether more can be written without waiting. */
  write(frames: Uint8Array): boolean {
    const { res, inFlightCall } = this.#delivery;
    this.#keepAlive.refresh();
    this.#record(frames);
    if (this.#isReceiptStoredFirst && inFlightCall.meter.isComplete) {
      this.#delayedFrames.push(frames);
      return true;
    }
    if (res.isClosed) return true;
    this.#isHeadSent = true;
    return res.write(frames);
  }

  /** Ends the stream. */
  finish(): void {
    const { inFlightCall } = this.#delivery;
    const rest = this.#withoutSecrets(this.#gate.end());
    const isTraced =
      this.#layout === undefined && inFlightCall.exchange.clientRequest.header('x-weir-trace') === 'on';
    const last = rest === undefined ? [] : isTraced ? [rest, '\n\n'] : [rest];
    for (const bytes of last) this.#record(bytes);
    this.#delayedFrames.push(...last);
    if (isTraced) this.#delayedFrames.push(traceComment(inFlightCall));
  }

  /** Breaks off where the provider did; sends any other error as a frame, after whole frames only. */
  fail(thrown: unknown): void {
    const { res, context, inFlightCall, receipt, payment } = this.#delivery;
    const { wire } = inFlightCall.exchange.clientRequest;
    // A paid answer can be fetched again, and has to say how it ended.
    this.#isBroken = payment === undefined && isInterruption(thrown);
    if (this.#isBroken && (this.#layout !== undefined || wire.sendsErrorBeforeBreak === undefined)) return;
    const error = asGatewayError(publicErrorOf(thrown, inFlightCall));
    const envelope = errorEnvelope(error, context.id, wire);
    const frame =
      this.#layout === undefined
        ? wire.errorFrame(envelope)
        : this.#layout.encodeError(envelope, error.status);
    if (!res.isClosed) receipt?.addResponseBytes(frame);
    payment?.addResponseBytes(frame);
    this.#delayedFrames.push(frame);
  }

  /** Stops keep-alives. */
  stopKeepAlive(): void {
    clearInterval(this.#keepAlive);
  }

  async end(): Promise<void> {
    const { res, receipt } = this.#delivery;
    await waitUntilRecorded();
    if (this.#isReceiptStoredFirst) await receipt?.close();
    this.#isHeadSent = true;
    if (!res.isClosed) for (const bytes of this.#delayedFrames) res.write(bytes);
    if (!this.#isBroken) {
      res.end();
      return;
    }
    // A client that sees the break first discards what it has not read.
    if (this.#delayedFrames.length > 0) await untilClientLeaves(res);
    res.breakOff();
  }

  /** Searches whole frames for secrets, since chunk borders may split a key. */
  #withoutSecrets(frames: Uint8Array | undefined): Uint8Array | undefined {
    return frames && this.#delivery.inFlightCall.reply.withoutSecrets(frames);
  }

  #record(bytes: Uint8Array | string): void {
    const { receipt, payment } = this.#delivery;
    receipt?.addResponseBytes(bytes);
    payment?.addResponseBytes(bytes);
  }

  #startKeepAlive(): NodeJS.Timeout {
    const { res, inFlightCall, keepAliveMs, receipt } = this.#delivery;
    const { wire } = inFlightCall.exchange.clientRequest;
    // Keep-alive comments are not hashed; formats without comments hash everything.
    const isCommented = this.#layout === undefined && wire.rejectsComments === undefined;
    const sign = receipt !== undefined && isCommented ? keepAliveComment : (this.#layout ?? wire).keepAlive;
    return setInterval(() => {
      if (this.#delayedFrames.length > 0 || res.isClosed || res.needsDrain) return;
      if (!isCommented) receipt?.addResponseBytes(sign);
      res.write(sign);
    }, keepAliveMs);
  }
}

/** A unique SSE comment. */
const keepAliveComment = Buffer.from(': weir\n\n');

/** Resolves when the client closes the connection, or has had time to read. */
function untilClientLeaves(res: HttpResponse): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, limits.errorReadMs);
    res.onAbort(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Hides provider messages for the operator, also in the middle of a stream. */
function publicErrorOf(thrown: unknown, { exchange }: InFlightCall): unknown {
  return operatorPays(exchange.caller) ? hideProviderError(thrown) : thrown;
}

/** Trace data as an SSE comment, for clients that sent `x-weir-trace: on`. */
function traceComment({ exchange: { trace }, bill, usage }: InFlightCall): string {
  const facts = {
    modules: trace.modulesHeader(),
    cache: trace.cacheHeader(),
    ...(bill !== undefined && { cost_usd: formatUsd(bill.nanoUsd), estimated: bill.estimated }),
    overhead_ms: Number(trace.overheadMs.toFixed(2)),
    usage,
  };
  return `: weir ${JSON.stringify(facts)}\n\n`;
}
