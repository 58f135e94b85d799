import type { OpenReceipt } from '../calls/call-receipts.ts';
import { inOwnWords } from '../calls/own-words.ts';
import type { Underway } from '../calls/underway.ts';
import type { HttpResponse } from '../http/response.ts';
import { operatorPays } from '../kernel/caller.ts';
import { GatewayError } from '../kernel/errors.ts';
import { type HeaderList, headerOf } from '../kernel/headers.ts';
import { hundredths } from '../kernel/hundredths.ts';
import { limits } from '../kernel/limits.ts';
import { formatUsd } from '../kernel/money.ts';
import type { ReplyBytes } from '../kernel/reply/reply-bytes.ts';
import type { Framing, WireFormat } from '../kernel/wire-format.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { FrameGate } from '../wire/index.ts';
import { asGatewayError, type Call, errorEnvelope, sendError, sendWhole } from './respond.ts';

interface Delivery {
  readonly res: HttpResponse;
  readonly call: Call;
  readonly underway: Underway;
  readonly metrics: Metrics;
  /** How long a stream may be silent. */
  readonly keepAliveMs: number;
  /** Where the caller gets one. */
  readonly receipt: OpenReceipt | undefined;
  /** Where the answer is paid for by itself. */
  readonly sale?: Sale;
}

/** An answer that somebody pays for before the first of it goes out. */
export interface Sale {
  /** Once there is something to get, all of it or the first content of a stream; headers that tell of it. */
  take(whole?: Uint8Array): Promise<HeaderList>;
  /** What the client gets. */
  wrote(bytes: Uint8Array | string): void;
  /** Whether it is read to its end though the client has left. */
  readonly outlives: boolean;
}

/** Writes an answer to its client, in the client's format and the framing it asked for. */
export async function deliver(delivery: Delivery): Promise<void> {
  const { reply, exchange } = delivery.underway;
  const { received } = exchange;
  const framing = received.streamed ? 'sse' : 'json';
  try {
    const chunks = reply.bytes(received.wire, framing, received);
    await (framing === 'sse' ? deliverStream(delivery, chunks) : deliverWhole(delivery, chunks));
  } finally {
    // Whatever kept it from being sent: nobody reads it any more, and the call is over.
    if (!reply.ended) await reply.discard();
    if (delivery.receipt !== undefined) await delivery.receipt.close();
  }
}

type Chunks = Pick<ReplyBytes, 'pull' | 'stop'>;

/** Holds an unstreamed answer until it is whole, so that its cost can stand in a header; a huge one goes on its way. */
async function deliverWhole(delivery: Delivery, chunks: Chunks): Promise<void> {
  const { res, underway, receipt, sale } = delivery;
  const held: Uint8Array[] = [];
  let heldBytes = 0;
  for (;;) {
    const coming = chunks.pull();
    const chunk = coming instanceof Promise ? await coming : coming;
    if (chunk === undefined) break;
    if (heldBytes <= limits.heldAnswerBytesMax) {
      held.push(chunk);
      heldBytes += chunk.byteLength;
      continue;
    }
    if (sale !== undefined) throw new GatewayError('upstream_broken', 'the model answered more than it may');
    if (!res.headersSent) {
      underway.sent(underway.reply.status);
      res.writeHead(underway.reply.status, answerHeaders(delivery, 'json'));
      for (const before of held.splice(0)) {
        receipt?.wrote(before);
        res.write(before);
      }
    }
    receipt?.wrote(chunk);
    if (!res.write(chunk)) await res.drained();
  }
  await told();
  const body = held.length === 1 && held[0] !== undefined ? held[0] : Buffer.concat(held);
  receipt?.wrote(body);
  if (receipt?.comesFirst === true) await receipt.close();
  if (res.headersSent) {
    res.end();
    return;
  }
  const { bill } = underway;
  const paid = sale === undefined ? none : await sale.take(body);
  sale?.wrote(body);
  const headers = answerHeaders(delivery, 'json');
  for (const text of paid) headers.push(text);
  if (bill !== undefined) headers.push('x-weir-cost-usd', formatUsd(bill.nanoUsd));
  if (bill?.estimated === true) headers.push('x-weir-estimate', 'true');
  headers.push('content-length', String(body.byteLength));
  res.writeHead(underway.reply.status, headers);
  res.end(body);
}

async function deliverStream(delivery: Delivery, chunks: Chunks): Promise<void> {
  const { res, call, underway, metrics, keepAliveMs, receipt, sale } = delivery;
  const { received } = underway.exchange;
  const { wire } = received;
  const first = sale === undefined ? [] : await untilContent(underway, chunks);
  const paid = sale === undefined ? none : await sale.take();
  underway.sent(underway.reply.status);
  const layout = wire.layout?.(received);
  const headers = answerHeaders(delivery, 'sse', layout?.contentType);
  for (const text of paid) headers.push(text);
  res.writeHead(underway.reply.status, headers);
  const gate = layout ?? new FrameGate();
  /** The end of an answer whose receipt comes first. */
  const heldBack: (Uint8Array | string)[] = [];
  // What is hashed must be told apart from what isn't, by a comment; where there can be none, all is hashed.
  const isCommented = layout === undefined && wire.refusesComments === undefined;
  const sign = receipt !== undefined && isCommented ? ownSign : (layout ?? wire).keepAlive;
  const keepAlive = setInterval(() => {
    if (heldBack.length > 0 || res.isOver || res.isFull) return;
    if (!isCommented) receipt?.wrote(sign);
    res.write(sign);
  }, keepAliveMs);
  const comesFirst = receipt?.comesFirst === true;
  let isHeadSent = false;
  metrics.streamOpened();
  try {
    for (;;) {
      const coming = first.shift() ?? chunks.pull();
      // The head goes with what is there already, else at once.
      if (coming instanceof Promise && !isHeadSent) {
        res.flushHead();
        isHeadSent = true;
      }
      const chunk = coming instanceof Promise ? await coming : coming;
      if (chunk === undefined) break;
      const whole = gate.push(chunk);
      if (whole === undefined) continue;
      keepAlive.refresh();
      receipt?.wrote(whole);
      sale?.wrote(whole);
      if (comesFirst && underway.meter.isOver) heldBack.push(whole);
      else if (!res.isOver) {
        isHeadSent = true;
        if (!res.write(whole)) await res.drained();
      }
      if (res.isOver && sale?.outlives !== true) break;
    }
    const rest = gate.end();
    const traced = layout === undefined && received.header('x-weir-trace') === 'on';
    const last = rest === undefined ? [] : traced ? [rest, '\n\n'] : [rest];
    for (const bytes of last) {
      receipt?.wrote(bytes);
      sale?.wrote(bytes);
    }
    heldBack.push(...last, ...(traced ? [traceComment(underway)] : []));
  } catch (thrown) {
    // Whole frames only went out, so the error stands in a frame of its own.
    const envelope = errorEnvelope(asGatewayError(shownOf(thrown, underway)), call.id, wire);
    const frame = layout === undefined ? wire.errorFrame(envelope) : layout.broken(envelope);
    if (!res.isOver) receipt?.wrote(frame);
    sale?.wrote(frame);
    heldBack.push(frame);
  } finally {
    clearInterval(keepAlive);
    metrics.streamClosed();
    await chunks.stop();
  }
  await told();
  if (comesFirst) await receipt.close();
  if (!res.isOver) for (const bytes of heldBack) res.write(bytes);
  res.end();
}

/** Everything up to the first content; refuses an answer without any. */
async function untilContent({ meter }: Underway, chunks: Chunks): Promise<Uint8Array[]> {
  const first: Uint8Array[] = [];
  while (!meter.hasContent) {
    const chunk = await chunks.pull();
    if (chunk === undefined) throw answeredNothing();
    first.push(chunk);
  }
  return first;
}

export function answeredNothing(): GatewayError {
  return new GatewayError('upstream_broken', 'the model answered nothing');
}

/** Also in the middle of a stream nobody sees what a provider says to the operator. */
function shownOf(thrown: unknown, { exchange }: Underway): unknown {
  return operatorPays(exchange.caller) ? inOwnWords(thrown) : thrown;
}

/** A comment that nothing else looks like. */
const ownSign = Buffer.from(': weir\n\n');

/** Until the call, which is over, is written down: a client that has its whole answer finds it in the log, even if this process is killed. */
function told(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

function answerHeaders(
  { call, underway, receipt, sale }: Delivery,
  framing: Framing,
  type?: string,
): string[] {
  const { trace, caller } = underway.exchange;
  const isGuest = operatorPays(caller);
  const headers = isGuest ? [] : fitting(underway.reply.headers, framing, type);
  if (headerOf(headers, 'content-type') === undefined)
    headers.push('content-type', type ?? contentTypes[framing]);
  if (framing === 'sse') headers.push('x-accel-buffering', 'no');
  // Whoever paid gets a word of its own.
  if (framing === 'sse' && sale === undefined) headers.push('cache-control', 'no-cache');
  headers.push('x-request-id', call.id);
  for (const text of call.cors) headers.push(text);
  const modules = trace.steps.length === 0 ? '' : trace.modulesHeader();
  if (modules !== '') headers.push('x-weir-modules', modules);
  if (trace.dropped.length > 0) headers.push('x-weir-dropped', trace.dropped.join(', '));
  for (const text of isGuest ? toldToGuests(trace.told) : trace.told) headers.push(text);
  if (receipt !== undefined) headers.push('x-weir-receipt', receipt.id);
  headers.push('x-weir-cache', trace.cacheHeader(), 'x-weir-overhead-ms', hundredths(trace.overheadMs));
  return headers;
}

/** What a call was made of, and nothing of how much the operator has left. */
function toldToGuests(told: HeaderList): HeaderList {
  const at = told.indexOf('x-weir-sandbox');
  return at < 0 ? [] : told.slice(at, at + 2);
}

/** The provider's headers, but for what is not true of this framing or would let a proxy hold a stream back. */
function fitting(given: HeaderList, framing: Framing, type: string | undefined): string[] {
  const kept: string[] = [];
  for (let at = 0; at + 1 < given.length; at += 2) {
    const name = given[at] ?? '';
    const value = given[at + 1] ?? '';
    if (name === 'content-type' && (type !== undefined || !isTrueOf(framing, value))) continue;
    if (framing === 'sse' && (name === 'cache-control' || name === 'x-accel-buffering')) continue;
    kept.push(name, value);
  }
  return kept;
}

/** Documents are also called by names that fit anything; what fits nothing else, like a page, is left as it is. */
function isTrueOf(framing: Framing, type: string): boolean {
  if (framing === 'sse') return type.startsWith('text/event-stream');
  return !/^(text\/(event-stream|plain)|application\/octet-stream)/.test(type);
}

export const contentTypes: Readonly<Record<Framing, string>> = {
  json: 'application/json',
  sse: 'text/event-stream; charset=utf-8',
};

const none: HeaderList = [];

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

/** An error to the client; a provider's own refusal goes as it came to a client that speaks its format. */
export function deliverError(res: HttpResponse, error: GatewayError, call: Call, wire: WireFormat): void {
  const { upstream } = error.details;
  if (upstream === undefined || upstream.wire !== wire) {
    sendError(res, error, call, wire);
    return;
  }
  sendWhole(res, upstream, call);
}
