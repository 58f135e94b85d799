import { GatewayError } from '../kernel/errors.ts';
import type { Exchange } from '../kernel/exchange.ts';
import { type HeaderList, headerOf, headersOf } from '../kernel/headers.ts';
import { patchJson } from '../kernel/json.ts';
import { limits } from '../kernel/limits.ts';
import type { Handler } from '../kernel/module.ts';
import type { Provider } from '../kernel/provider.ts';
import { type Raw, Reply } from '../kernel/reply.ts';
import type { WireFormat } from '../kernel/wire-format.ts';
import { begun } from './begun.ts';
import { decompressed } from './decompressed.ts';
import type { Egress, Endpoint } from './egress.ts';
import { forwardedAnswerHeaders, RequestHeaderFilter } from './forwarded-headers.ts';
import { type Head, Inbound } from './inbound.ts';
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
      const wire = wireFor(exchange, provider);
      const headers = requestHeaders(exchange, { wire, via, filter });
      const inbound = await send({ endpoint: egress.to(provider), exchange, wire, headers });
      const raw = rawOf(inbound, exchange, wire);
      if (raw.status >= 300) throw await refused(raw, provider);
      return Reply.relay(raw.framing === 'sse' ? await begun(raw) : raw);
    } finally {
      exchange.trace.awayMs += performance.now() - leftAt;
    }
  };
}

function wireFor({ received }: Exchange, provider: Provider): WireFormat {
  const [preferred] = provider.wires;
  if (provider.wires.includes(received.wire)) return received.wire;
  if (preferred === undefined) throw new Error(`${provider.name} speaks no wire format`);
  return preferred;
}

/** By identity: what nobody changed goes out as the client's own bytes. */
function requestBody(exchange: Exchange, wire: WireFormat): Uint8Array {
  const { received, target, trace } = exchange;
  if (received.wire === wire && exchange.untouched) {
    return received.body.model === target.model
      ? received.bytes
      : patchJson(received.bytes, { model: target.model });
  }
  const request =
    exchange.request.model === target.model ? exchange.request : { ...exchange.request, model: target.model };
  const { body, dropped } = wire.encodeRequest(request, received.wire === wire ? received : undefined);
  trace.dropped.push(...dropped);
  return body;
}

interface Outgoing {
  readonly wire: WireFormat;
  readonly via: string;
  readonly filter: RequestHeaderFilter;
}

function requestHeaders({ received, target }: Exchange, { wire, via, filter }: Outgoing): string[] {
  const headers = received.wire === wire ? filter.forwarded(received.headers) : [...wire.ownHeaders];
  const passedBy = headersOf(received.headers, 'via');
  headers.push('accept-encoding', 'identity', 'via', [...passedBy, via].join(', '));
  if (received.wire !== wire) headers.push('content-type', 'application/json');
  if (target.credential !== undefined) headers.push(...target.provider.authorize(target.credential));
  return headers;
}

interface Sending {
  readonly endpoint: Endpoint;
  readonly exchange: Exchange;
  readonly wire: WireFormat;
  readonly headers: string[];
}

/** Tries again only while nothing was sent: a call that may have been received is never made twice. */
async function send({
  endpoint,
  exchange,
  wire,
  headers,
}: Sending): Promise<{ inbound: Inbound; head: Head }> {
  const { presence, target, received } = exchange;
  const path = endpoint.basePath + wire.path + (received.wire === wire ? received.query : '');
  const body = requestBody(exchange, wire);
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
  const encoding = headerOf(head.headers, 'content-encoding');
  const plain =
    encoding === undefined || encoding === 'identity' ? undefined : decompressed(inbound, encoding);
  const shown = plain === undefined ? head.headers : without(head.headers, 'content-encoding');
  const type = headerOf(head.headers, 'content-type') ?? '';
  return {
    wire,
    framing: type.startsWith('text/event-stream') ? 'sse' : 'json',
    status: head.status,
    headers: forwardedAnswerHeaders(shown, target.credential?.reveal()),
    body: plain ?? inbound,
  };
}

/** A provider's refusal with its whole body, for the client to get as it came. */
async function refused(raw: Raw, provider: Provider): Promise<GatewayError> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (let chunk = await raw.body.next(); chunk !== undefined; chunk = await raw.body.next()) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes > limits.errorBodyBytesMax) {
      raw.body.cancel();
      return new GatewayError(
        'upstream_broken',
        `${provider.title} answered ${raw.status} with an endless body`,
      );
    }
  }
  const { wire, status, headers } = raw;
  const retryAfter = Number(headerOf(headers, 'retry-after'));
  return new GatewayError('upstream_error', `${provider.title} answered ${status}`, {
    status,
    ...(Number.isFinite(retryAfter) && { retryAfterSeconds: retryAfter }),
    upstream: { wire, status, headers, bytes: Buffer.concat(chunks) },
  });
}

function without(headers: HeaderList, name: string): HeaderList {
  return headers.filter((_, at) => headers[at - (at % 2)] !== name);
}
