import type { Exchange } from '../kernel/exchange.ts';
import { headersOf } from '../kernel/headers.ts';
import { type JsonObject, patchBody } from '../kernel/json.ts';
import { limits } from '../kernel/limits.ts';
import type { Handler } from '../kernel/module.ts';
import { wiresOf } from '../kernel/provider.ts';
import { type Raw, Reply } from '../kernel/reply/reply.ts';
import type { WireFormat } from '../kernel/wire-format.ts';
import { begun } from './begun.ts';
import { decompressed } from './decompressed.ts';
import type { Egress, Endpoint } from './egress.ts';
import { forwardedAnswerHeaders, RequestHeaderFilter } from './forwarded-headers.ts';
import { type Head, Inbound } from './inbound.ts';
import { refused, type WholeAnswer, whole } from './refusal.ts';
import { clientGone, isConnectFailure, pause, unreachable } from './unreachable.ts';

export interface UpstreamParts {
  readonly egress: Egress;
  /** Marks requests that came through this gateway, so that a loop can be seen. */
  readonly via: string;
}

/** The last handler: sends the exchange to its provider, and resolves when the answer has begun. */
export function createUpstream({ egress, via }: UpstreamParts): Handler {
  const filter = new RequestHeaderFilter();
  return async (exchange) => {
    const leftAt = performance.now();
    try {
      const { provider } = exchange.target;
      exchange.trace.answeredBy = exchange.target;
      if (provider.local !== undefined)
        return Reply.stream(provider.local(exchange.request, exchange.signal));
      const wire = wireFor(exchange);
      exchange.trace.askedIn = wire.name;
      const headers = requestHeaders(exchange, { wire, via, filter });
      const endpoint = egress.to(provider);
      const question = usageQuestionFor(exchange, wire);
      const body = requestBody(exchange, wire, question);
      const inbound = await send({ endpoint, exchange, wire, headers, path: wire.path, body });
      const answer = rawOf(inbound, exchange, wire);
      const raw: Raw = question === undefined ? answer : { ...answer, usageAsked: true };
      if (raw.status >= 300) throw await refused(raw, exchange.target);
      return Reply.relay(raw.framing === 'sse' ? await begun(raw) : raw);
    } finally {
      exchange.trace.awayMs += performance.now() - leftAt;
    }
  };
}

/** Sends a call to where its provider counts tokens, by the same rules; the answer as it came. */
export function createCounter({
  egress,
  via,
}: UpstreamParts): (exchange: Exchange, path: string) => Promise<WholeAnswer> {
  const filter = new RequestHeaderFilter();
  return async (exchange, path) => {
    const { target } = exchange;
    const wire = wireFor(exchange);
    const headers = requestHeaders(exchange, { wire, via, filter });
    const endpoint = egress.to(target.provider);
    const body = requestBody(exchange, wire, undefined);
    const raw = rawOf(await send({ endpoint, exchange, wire, headers, path, body }), exchange, wire);
    if (raw.status >= 300) throw await refused(raw, target);
    return whole(raw, target);
  };
}

function wireFor({ received, target }: Exchange): WireFormat {
  const wires = wiresOf(target);
  const [preferred] = wires;
  if (wires.includes(received.wire)) return received.wire;
  if (preferred === undefined) throw new Error(`${target.provider.name} speaks no wire format`);
  return preferred;
}

/** The fields by which a streamed call asks for its usage; undefined where it needs none, or they might be refused. */
function usageQuestionFor(exchange: Exchange, wire: WireFormat): JsonObject | undefined {
  const { received, target } = exchange;
  const own = received.wire === wire;
  const { streamUsage = own ? 'unasked' : 'asked' } = target.provider;
  const streamed = exchange.untouched ? received.streamed : exchange.request.stream === true;
  if (!streamed || streamUsage === 'unasked') return undefined;
  return wire.usageQuestion?.asking(own ? received.body : {});
}

/** By identity: what nobody changed goes out as the client's own bytes. `added` is written into them. */
function requestBody(exchange: Exchange, wire: WireFormat, added: JsonObject | undefined): Uint8Array {
  const { received, target, trace } = exchange;
  const own = received.wire === wire ? received : undefined;
  if (own !== undefined && exchange.untouched) {
    const model = own.body.model === target.model ? undefined : { model: target.model };
    return patchBody(own.bytes, own.body, { ...model, ...added });
  }
  const request =
    exchange.request.model === target.model ? exchange.request : { ...exchange.request, model: target.model };
  const { body, dropped } = wire.encodeRequest(request, own);
  trace.dropped.push(...dropped);
  return patchBody(body, own?.body ?? {}, { ...added });
}

interface Outgoing {
  readonly wire: WireFormat;
  readonly via: string;
  readonly filter: RequestHeaderFilter;
}

function requestHeaders({ received, target }: Exchange, { wire, via, filter }: Outgoing): string[] {
  const headers = received.wire === wire ? filter.forwarded(received.headers) : [...wire.ownHeaders];
  const passedBy = headersOf(received.headers, 'via');
  headers.push(
    'accept-encoding',
    'identity',
    'via',
    passedBy.length === 0 ? via : [...passedBy, via].join(', '),
  );
  if (received.wire !== wire) headers.push('content-type', 'application/json');
  if (target.credential !== undefined) headers.push(...target.provider.authorize(target.credential));
  return headers;
}

interface Sending {
  readonly endpoint: Endpoint;
  readonly exchange: Exchange;
  readonly wire: WireFormat;
  readonly headers: string[];
  /** Below the provider's base address. */
  readonly path: string;
  readonly body: Uint8Array;
}

/** Tries again only while nothing was sent: a call that may have been received is never made twice. */
async function send({
  endpoint,
  exchange,
  wire,
  headers,
  path: apiPath,
  body,
}: Sending): Promise<{ inbound: Inbound; head: Head }> {
  const { presence, target, received } = exchange;
  const path = endpoint.basePath + apiPath + (received.wire === wire ? received.query : '');
  const explain = (cause: unknown) =>
    presence.gone ? clientGone(cause) : unreachable(target.provider, cause);
  for (let attempt = 1; ; attempt++) {
    const inbound = new Inbound(presence, explain);
    endpoint.pool.dispatch({ path, method: 'POST', headers, body }, inbound);
    try {
      return { inbound, head: await inbound.head };
    } catch (failure) {
      if (attempt >= limits.connectAttemptsMax || !isConnectFailure(failure)) throw failure;
      await pause(attempt, exchange.signal);
    }
  }
}

/** The answer's head tells how its body is to be read. */
function rawOf(
  { inbound, head }: { inbound: Inbound; head: Head },
  { target }: Exchange,
  wire: WireFormat,
): Raw {
  const { 'content-encoding': encoding = 'identity', 'content-type': type = '' } = head.headers;
  const plain = encoding === 'identity' ? undefined : decompressed(inbound, encoding);
  const shown = plain === undefined ? head.headers : { ...head.headers, 'content-encoding': undefined };
  return {
    wire,
    framing: type.startsWith('text/event-stream') ? 'sse' : 'json',
    status: head.status,
    headers: forwardedAnswerHeaders(shown, target.credential?.reveal()),
    body: plain ?? inbound,
  };
}
