import { giveBack } from '../kernel/body-memory.ts';
import type { Departure, Draft, Means } from '../kernel/departure.ts';
import { GatewayError, isRefusal } from '../kernel/errors.ts';
import { credentialsOf, type Exchange } from '../kernel/exchange.ts';
import { headersOf } from '../kernel/headers.ts';
import { isJsonObject, type JsonObject } from '../kernel/json.ts';
import { limits } from '../kernel/limits.ts';
import type { Handler } from '../kernel/module.ts';
import { type Fields, Outline } from '../kernel/outline.ts';
import { choosesOutputLimit } from '../kernel/output-limit.ts';
import { addFields, patchJson } from '../kernel/patch-json.ts';
import { acceptanceOf, type Target, wireTowards } from '../kernel/provider.ts';
import { type Received, rawHeadersOf } from '../kernel/received.ts';
import type { Raw } from '../kernel/reply/relayed.ts';
import { Reply } from '../kernel/reply/reply.ts';
import type { Secret } from '../kernel/secret.ts';
import type { ProviderFormat } from '../kernel/wire-format.ts';
import { eventStreamType } from '../wire/event-stream.ts';
import { begun } from './begun.ts';
import { decompressed } from './decompressed.ts';
import { departureOf } from './departure.ts';
import { type Egress, whenSent } from './egress.ts';
import { forwardedAnswerHeaders, RequestHeaderFilter } from './forwarded-headers.ts';
import { type Head, Inbound } from './inbound.ts';
import { lookedAt } from './looked-at.ts';
import { refused, type WholeAnswer, whole } from './refusal.ts';
import { spoken } from './spoken.ts';
import { unpacked } from './unpacked.ts';
import { brokenOff, clientGone, isConnectFailure, pause, unreachable } from './unreachable.ts';

export interface UpstreamParts {
  readonly egress: Egress;
  readonly means: Means;
  /** Marks requests that came through this gateway, so that a loop can be seen. */
  readonly via: string;
  /** No answer of this model has more tokens than this, where that is known. */
  outputTokensMax?(target: Target): number | undefined;
}

/** The last handler: sends the exchange to its provider, and resolves when the answer has begun. */
export function createUpstream({ egress, means, via, outputTokensMax }: UpstreamParts): Handler {
  const filter = new RequestHeaderFilter();
  return async (exchange) => {
    const { target, trace } = exchange;
    const { provider } = target;
    const found = credentialsOf(exchange).find(target);
    const credential = found instanceof Promise ? await found : found;
    const leftAt = performance.now();
    try {
      if (provider.local !== undefined)
        return Reply.stream(provider.local(exchange.request, exchange.signal));
      const wire = wireFor(exchange);
      trace.askedIn = wire.name;
      const question = usageQuestionFor(exchange, wire);
      const headers = requestHeaders(exchange, { wire, via, filter });
      const query = exchange.received.wire === wire ? exchange.received.query : '';
      const path = wire.address(target.model, isStreamed(exchange), query);
      const limited = choosesOutputLimit(exchange)
        ? limitedTo(outputTokensMax?.(target), exchange)
        : exchange;
      const body = requestBody(limited, wire, question);
      exchange.received.letGo();
      const leaving = departureOf(drafted(exchange, wire, { path, headers, body }), credential, means);
      const departure = leaving instanceof Promise ? await leaving : leaving;
      const answer = await send(exchange, egress, { wire, departure });
      const raw: Raw = question === undefined ? answer : { ...answer, usageAsked: true };
      if (raw.status >= 300) throw await refused(raw, target, departure);
      const answered = raw.framing === 'sse' ? await begun(raw, isStreamed(exchange)) : raw;
      const isDocument = answered.framing === 'json' && isStreamed(exchange);
      return Reply.relay(isDocument ? await spoken(answered) : answered);
    } finally {
      trace.awayMs += performance.now() - leftAt;
    }
  };
}

/** What a provider's own counter says: as it came to a client of its format, else how many tokens there are. */
export type Counted = { readonly answer: WholeAnswer } | { readonly tokens: number };

/** Sends a call to where its provider counts tokens, by the same rules; undefined where it doesn't. */
export function createCounter({
  egress,
  means,
  via,
}: UpstreamParts): (exchange: Exchange) => Promise<Counted | undefined> {
  const filter = new RequestHeaderFilter();
  return async (exchange) => {
    const { target, received } = exchange;
    const { provider, model } = target;
    const wire = wireFor(exchange);
    const { counting } = wire;
    if (provider.counts === undefined || counting === undefined) return undefined;
    const own = received.wire === wire;
    const paying = await payingFor(exchange, own);
    if (paying === undefined) return undefined;
    const { credential } = paying;
    const headers = requestHeaders(exchange, { wire, via, filter });
    const path = counting.address(model, own ? received.query : '');
    const call = requestBody(exchange, wire, undefined);
    const body = own ? call : Buffer.from(JSON.stringify(counting.question(objectIn(call), model)));
    const departure = await departureOf(drafted(exchange, wire, { path, headers, body }), credential, means);
    const raw = await send(exchange, egress, { wire, departure });
    if (raw.status >= 300) throw await refused(raw, target, departure);
    const answer = await whole(raw, target);
    if (own) return { answer };
    const tokens = counting.told(objectIn(answer.bytes));
    if (typeof tokens !== 'number')
      throw new GatewayError('upstream_broken', `${provider.title} answered without a count of tokens`);
    return { tokens };
  };
}

/** Who speaks the provider's own format is told that a key is missing; to others an estimate needs none. */
async function payingFor(
  exchange: Exchange,
  own: boolean,
): Promise<{ readonly credential: Secret | undefined } | undefined> {
  try {
    return { credential: await credentialsOf(exchange).find(exchange.target) };
  } catch (refusal) {
    if (!own && isRefusal(refusal)) return undefined;
    throw refusal;
  }
}

function objectIn(bytes: Uint8Array): JsonObject {
  const read: unknown = parsedOr(Buffer.from(bytes).toString('utf8'));
  return isJsonObject(read) ? read : {};
}

function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type Written = Pick<Draft, 'path' | 'headers' | 'body'>;

function drafted(exchange: Exchange, wire: ProviderFormat, { path, headers, body }: Written): Draft {
  const { provider, model } = exchange.target;
  return {
    provider,
    method: 'POST',
    asks: { wire, model, streamed: isStreamed(exchange) },
    path,
    headers,
    body,
  };
}

function wireFor({ received, target }: Exchange): ProviderFormat {
  const wire = wireTowards(target, received.wire);
  if (wire === undefined) throw new Error(`${target.provider.name} speaks no wire format`);
  return wire;
}

function isStreamed(exchange: Exchange): boolean {
  return exchange.untouched ? exchange.received.streamed : exchange.request.stream === true;
}

/** The fields by which a streamed call asks for its usage; undefined where it needs none, or they might be refused. */
function usageQuestionFor(exchange: Exchange, wire: ProviderFormat): JsonObject | undefined {
  const { received, target } = exchange;
  const own = received.wire === wire;
  const { streamUsage = own ? 'unasked' : 'asked' } = target.provider;
  if (streamUsage === 'unasked' || !isStreamed(exchange)) return undefined;
  return own ? received.usageQuestion : wire.usageQuestion?.asking(nothing);
}

/** What was made here of what came in. */
const anything = { valuesMax: Number.POSITIVE_INFINITY, depthMax: Number.POSITIVE_INFINITY };
const nothing: Fields = { get: () => undefined };

/** As much as the model can say, as it would be where no limit is required. */
function limitedTo(max_tokens: number | undefined, exchange: Exchange): Exchange {
  if (max_tokens === undefined) return exchange;
  return exchange.with({ request: { ...exchange.request, max_tokens } });
}

/** By identity: what nobody changed goes out as the client's own bytes. `added` is written into them. */
function requestBody(exchange: Exchange, wire: ProviderFormat, added: JsonObject | undefined): Uint8Array {
  const { received, target, trace } = exchange;
  const own = received.wire === wire ? received : undefined;
  if (own !== undefined && exchange.untouched) {
    const model = own.asked.model === target.model ? undefined : wire.naming(target.model);
    if (model === undefined && added === undefined) return own.bytes;
    return patchJson(own.fields, { ...model, ...added });
  }
  const request =
    exchange.request.model === target.model ? exchange.request : { ...exchange.request, model: target.model };
  const { body, dropped } = wire.encodeRequest(request, own, acceptanceOf(target));
  trace.dropped.push(...dropped);
  if (added === undefined) return body;
  return own === undefined ? addFields(body, added) : patchJson(Outline.of(body, anything), added);
}

interface Outgoing {
  readonly wire: ProviderFormat;
  readonly via: string;
  readonly filter: RequestHeaderFilter;
}

function requestHeaders(exchange: Exchange, { wire, via, filter }: Outgoing): string[] {
  const { received } = exchange;
  const came = rawHeadersOf(received);
  const own = received.wire === wire ? filter.forwarded(came) : [...wire.ownHeaders];
  const headers = exchange.untouched ? own : (wire.headersFor?.(exchange.request, own) ?? own);
  const passedBy = headersOf(came, 'via');
  headers.push(
    'accept-encoding',
    'identity',
    'via',
    passedBy.length === 0 ? via : [...passedBy, via].join(', '),
  );
  if (received.wire !== wire) headers.push('content-type', 'application/json');
  return headers;
}

interface Sending {
  readonly wire: ProviderFormat;
  readonly departure: Departure;
}

/** Tries again only while nothing was sent: a call that may have been received is never made twice. */
async function send(exchange: Exchange, egress: Egress, sending: Sending): Promise<Raw> {
  const { presence, target, received } = exchange;
  const { baseUrl, headers, body } = sending.departure;
  const { pool, basePath } = egress.to(target.provider, baseUrl);
  const path = basePath + sending.departure.path;
  const explain = (cause: unknown, hasBegun: boolean) => {
    if (presence.gone) return clientGone(cause);
    return hasBegun ? brokenOff(target.provider, cause) : unreachable(target.provider, cause);
  };
  if (body.byteLength >= limits.keptBodyBytesMin) letGoOnceSent(body, received);
  exchange.trace.leftAtMs = performance.now();
  for (let attempt = 1; ; attempt++) {
    const inbound = new Inbound(presence, explain);
    pool.dispatch({ path, method: 'POST', headers, body }, inbound);
    try {
      const raw = rawOf(inbound, await inbound.head, sending);
      return raw instanceof Promise ? await raw : raw;
    } catch (failure) {
      if (attempt >= limits.connectAttemptsMax || !isConnectFailure(failure)) throw failure;
      await pause(attempt, exchange.signal);
    } finally {
      exchange.trace.connectedAtMs = inbound.connectedAtMs;
      exchange.trace.headAtMs = inbound.headAtMs;
    }
  }
}

/** What is sent is sent once: the client's own bytes may be needed for another attempt, others are not needed any more. */
function letGoOnceSent(body: Uint8Array, received: Received): void {
  const letGo = body === received.bytes ? received.keep() : () => giveBack(body);
  if (letGo !== undefined) whenSent(body, letGo);
}

/** The answer's head tells how its body is to be read; what came packed is looked at once more. */
function rawOf(
  inbound: Inbound,
  { status, headers, framing }: Head,
  { wire, departure }: Sending,
): Raw | Promise<Raw> {
  const { 'content-encoding': encoding = 'identity' } = headers;
  const plain = encoding === 'identity' ? undefined : decompressed(inbound, encoding);
  const body = plain ?? inbound;
  const shown = plain === undefined ? headers : { ...headers, 'content-encoding': undefined };
  const raw: Raw = {
    wire,
    framing,
    status,
    headers: forwardedAnswerHeaders(shown, departure.secrets),
    secrets: departure.secrets,
    body: headers['content-type']?.startsWith(eventStreamType) === true ? unpacked(body) : body,
  };
  return plain === undefined ? raw : lookedAt(raw);
}
