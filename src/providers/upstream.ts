import type { Readable } from 'node:stream';
import type { ProviderEgress } from '../egress/provider-egress.ts';
import { onSent } from '../egress/sent-callbacks.ts';
import type { AttemptTimes, UpstreamAttempt } from '../kernel/attempt.ts';
import { type ClientRequest, rawHeadersOf } from '../kernel/client-request.ts';
import { GatewayError, isRejection } from '../kernel/errors.ts';
import { credentialsOf, type Exchange, setUsedCredential } from '../kernel/exchange.ts';
import { type FieldReader, LazyJsonObject } from '../kernel/json/lazy-json-object.ts';
import { addFields, patchJson } from '../kernel/json/patch-json.ts';
import { limits as kernelLimits } from '../kernel/limits.ts';
import { choosesOutputLimit } from '../kernel/output-limit.ts';
import { acceptanceOf, chooseWire, type Target } from '../kernel/provider.ts';
import type { ProviderResponse } from '../kernel/reply/provider-response.ts';
import { Reply } from '../kernel/reply/reply.ts';
import type { Source } from '../kernel/reply/source.ts';
import type { OutboundRequest, SignedRequest, SigningContext } from '../kernel/signing.ts';
import { createSpanId, formatTraceParent } from '../kernel/trace-parent.ts';
import type { ProviderFormat } from '../kernel/wire-format.ts';
import { releaseBytes } from '../lib/body-memory.ts';
import { type HeaderList, headerOf, headerValuesOf } from '../lib/headers.ts';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import type { Secret } from '../lib/secret.ts';
import { awsEventStreamContentType } from '../wire/aws-event-stream.ts';
import { awaitFirstContent } from './await-first-content.ts';
import {
  clientGoneError,
  interruptedError,
  isConnectFailure,
  unreachableError,
  waitBeforeRetry,
} from './connection-errors.ts';
import { decompressBody } from './decompress-body.ts';
import { readErrorResponse, readWholeResponse, type WholeResponse } from './error-response.ts';
import { eventStreamToSse } from './event-stream-to-sse.ts';
import { filterResponseHeaders, RequestHeaderFilter } from './forwarded-headers.ts';
import { limits } from './limits.ts';
import { rejectErrorDocument } from './reject-error-document.ts';
import { type ProviderResponseHead, ResponseReader } from './response-reader.ts';
import { signRequest } from './sign-request.ts';
import { sniffFraming } from './sniff-framing.ts';

export interface UpstreamParts {
  readonly egress: ProviderEgress;
  readonly signing: SigningContext;
  /** Marks requests that came through this gateway, to detect loops. */
  readonly via: string;
  /** The model's output limit, if known. */
  outputTokensMax?(target: Target): number | undefined;
}

/** Sends an exchange to its provider, notes the times of the attempt, and resolves when the reply starts. */
export type Upstream = (exchange: Exchange, attempt: UpstreamAttempt) => Promise<Reply>;

export function createUpstream({ egress, signing, via, outputTokensMax }: UpstreamParts): Upstream {
  const filter = new RequestHeaderFilter();
  return async (exchange, attempt) => {
    const { target, trace } = exchange;
    const { provider } = target;
    const credential = await credentialsOf(exchange).find(target);
    setUsedCredential(exchange, credential);
    const leftAt = performance.now();
    try {
      if (provider.answerLocally !== undefined)
        return Reply.stream(provider.answerLocally(exchange.request, exchange.signal));
      const wire = wireFor(exchange);
      trace.providerWire = wire.name;
      const question = usageFieldsFor(exchange, wire);
      const headers = requestHeaders(exchange, { wire, via, filter, attempt });
      const query = exchange.clientRequest.wire === wire ? exchange.clientRequest.query : '';
      const path = wire.requestPath(target.model, isStreamed(exchange), query);
      const limited = choosesOutputLimit(exchange)
        ? withOutputLimit(outputTokensMax?.(target), exchange)
        : exchange;
      const body = requestBody(limited, wire, question);
      exchange.clientRequest.releaseParsed();
      const signed = await signRequest(
        buildOutboundRequest(exchange, wire, { path, headers, body }),
        credential,
        signing,
      );
      const answer = await send(exchange, egress, { wire, signed, times: attempt });
      const providerResponse: ProviderResponse =
        question === undefined ? answer : { ...answer, usageRequested: true };
      if (providerResponse.status >= 300) throw await readErrorResponse(providerResponse, target, signed);
      const answered =
        providerResponse.framing === 'sse'
          ? await awaitFirstContent(providerResponse, isStreamed(exchange))
          : providerResponse;
      const isDocument = answered.framing === 'json' && isStreamed(exchange);
      return Reply.relay(isDocument ? await rejectErrorDocument(answered) : answered);
    } finally {
      trace.providerMs += performance.now() - leftAt;
    }
  };
}

/** The provider's own token count: its original response for a client of its format, else the number. */
export type ProviderTokenCount = { readonly answer: WholeResponse } | { readonly tokens: number };

/** Sends a request to the provider's token counter, by the same rules; undefined if it has none. */
export function createTokenCounter({
  egress,
  signing,
  via,
}: UpstreamParts): (exchange: Exchange) => Promise<ProviderTokenCount | undefined> {
  const filter = new RequestHeaderFilter();
  return async (exchange) => {
    const { target, clientRequest } = exchange;
    const { provider, model } = target;
    const wire = wireFor(exchange);
    const { counting: tokenCounting } = wire;
    if (provider.hasTokenCounting === undefined || tokenCounting === undefined) return undefined;
    const own = clientRequest.wire === wire;
    const paying = await findCredential(exchange, own);
    if (paying === undefined) return undefined;
    const { credential } = paying;
    const headers = requestHeaders(exchange, { wire, via, filter });
    const path = tokenCounting.requestPath(model, own ? clientRequest.query : '');
    const call = requestBody(exchange, wire, undefined);
    const body = own
      ? call
      : Buffer.from(JSON.stringify(tokenCounting.encodeRequest(parseJsonObject(call), model)));
    const signed = await signRequest(
      buildOutboundRequest(exchange, wire, { path, headers, body }),
      credential,
      signing,
    );
    const providerResponse = await send(exchange, egress, { wire, signed });
    if (providerResponse.status >= 300) throw await readErrorResponse(providerResponse, target, signed);
    const answer = await readWholeResponse(providerResponse, target);
    if (own) return { answer };
    const tokens = tokenCounting.readCount(parseJsonObject(answer.bytes));
    if (typeof tokens !== 'number')
      throw new GatewayError('upstream_broken', `${provider.title} answered without a token count`);
    return { tokens };
  };
}

/** A client of the provider's own format gets an error for a missing key; others get an estimate, which needs none. */
async function findCredential(
  exchange: Exchange,
  own: boolean,
): Promise<{ readonly credential: Secret | undefined } | undefined> {
  try {
    return { credential: await credentialsOf(exchange).find(exchange.target) };
  } catch (refusal) {
    if (!own && isRejection(refusal)) return undefined;
    throw refusal;
  }
}

function parseJsonObject(bytes: Uint8Array): JsonObject {
  const read: unknown = parseJsonOrUndefined(Buffer.from(bytes).toString('utf8'));
  return isJsonObject(read) ? read : {};
}

function parseJsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type EncodedRequest = Pick<OutboundRequest, 'path' | 'headers' | 'body'>;

function buildOutboundRequest(
  exchange: Exchange,
  wire: ProviderFormat,
  { path, headers, body }: EncodedRequest,
): OutboundRequest {
  const { provider, model } = exchange.target;
  return {
    provider,
    method: 'POST',
    modelCall: { wire, model, streamed: isStreamed(exchange) },
    path,
    headers,
    body,
  };
}

function wireFor({ clientRequest, target }: Exchange): ProviderFormat {
  const wire = chooseWire(target, clientRequest.wire);
  if (wire === undefined) throw new Error(`${target.provider.name} has no wire format`);
  return wire;
}

function isStreamed(exchange: Exchange): boolean {
  return exchange.isUnmodified ? exchange.clientRequest.streamed : exchange.request.stream === true;
}

/** The fields that request usage in a stream; undefined if not needed or if the provider might reject them. */
function usageFieldsFor(exchange: Exchange, wire: ProviderFormat): JsonObject | undefined {
  const { clientRequest, target } = exchange;
  const own = clientRequest.wire === wire;
  const { streamUsage = own ? 'unasked' : 'asked' } = target.provider;
  if (streamUsage === 'unasked' || !isStreamed(exchange)) return undefined;
  return own ? clientRequest.usageOptInFields : wire.usageOptIn?.optInFields(noFields);
}

/** For bodies that we wrote ourselves. */
const noLimits = { valuesMax: Number.POSITIVE_INFINITY, depthMax: Number.POSITIVE_INFINITY };
const noFields: FieldReader = { get: () => undefined };

/** The model's own limit, for formats that require one. */
function withOutputLimit(max_tokens: number | undefined, exchange: Exchange): Exchange {
  if (max_tokens === undefined) return exchange;
  return exchange.with({ request: { ...exchange.request, max_tokens } });
}

/** The body for the provider, without what it would reject in the client's own bytes. */
function requestBody(exchange: Exchange, wire: ProviderFormat, added: JsonObject | undefined): Uint8Array {
  const { clientRequest, target, trace } = exchange;
  const body = encodedBody(exchange, wire, added);
  const replaced = clientRequest.wire === wire ? wire.replaceForeignContent?.(body, target.model) : undefined;
  if (replaced === undefined) return body;
  trace.dropped.push(...replaced.dropped);
  return replaced.body;
}

/** Sends the client's own bytes if the request is unchanged by identity; writes `added` into them. */
function encodedBody(exchange: Exchange, wire: ProviderFormat, added: JsonObject | undefined): Uint8Array {
  const { clientRequest, target, trace } = exchange;
  const own = clientRequest.wire === wire ? clientRequest : undefined;
  if (own !== undefined && exchange.isUnmodified) {
    const model = own.routing.model === target.model ? undefined : wire.modelFields(target.model, own.fields);
    if (model === undefined && added === undefined) return own.bytes;
    const rejected = rejectedFields(own, target.model, wire);
    trace.dropped.push(...rejected);
    const omitted = Object.fromEntries(rejected.map((field) => [field, undefined]));
    return patchJson(own.fields, { ...model, ...omitted, ...added });
  }
  const request =
    exchange.request.model === target.model ? exchange.request : { ...exchange.request, model: target.model };
  const { body, dropped } = wire.encodeRequest(request, own, acceptanceOf(target));
  trace.dropped.push(...dropped);
  if (added === undefined) return body;
  return own === undefined ? addFields(body, added) : patchJson(LazyJsonObject.of(body, noLimits), added);
}

/** The fields of a call for another model that its new provider rejects. */
function rejectedFields(own: ClientRequest, model: string, wire: ProviderFormat): readonly string[] {
  const requested = String(own.routing.model);
  if (requested === model || requested.endsWith(`/${model}`)) return [];
  return (wire.rejectedFields?.(own) ?? []).filter((field) => own.fields.get(field) != null);
}

interface HeaderParts {
  readonly wire: ProviderFormat;
  readonly via: string;
  readonly filter: RequestHeaderFilter;
  /** Undefined for a request that is not an attempt. */
  readonly attempt?: UpstreamAttempt;
}

export function requestHeaders(exchange: Exchange, { wire, via, filter, attempt }: HeaderParts): string[] {
  const { clientRequest } = exchange;
  const clientHeaders = rawHeadersOf(clientRequest);
  const own =
    clientRequest.wire === wire
      ? withOwnHeaders(filter.filter(clientHeaders), wire.ownHeaders)
      : [...wire.ownHeaders];
  const headers = exchange.isUnmodified ? own : (wire.headersFor?.(exchange.request, own) ?? own);
  const passedBy = headerValuesOf(clientHeaders, 'via');
  headers.push(
    'accept-encoding',
    'identity',
    'via',
    passedBy.length === 0 ? via : [...passedBy, via].join(', '),
  );
  if (clientRequest.wire === wire) continueTrace(clientRequest, attempt, headers);
  else headers.push('content-type', 'application/json');
  return headers;
}

/** Adds the headers that the provider requires and the client didn't send. */
function withOwnHeaders(headers: string[], required: HeaderList): string[] {
  for (let at = 0; at + 1 < required.length; at += 2) {
    const name = required[at] ?? '';
    if (headerOf(headers, name) === undefined) headers.push(name, required[at + 1] ?? '');
  }
  return headers;
}

/** Adds the client's trace context, with the span of the attempt in place of the client's. */
function continueTrace(
  { traceParent }: ClientRequest,
  attempt: UpstreamAttempt | undefined,
  headers: string[],
): void {
  if (traceParent === undefined) return;
  headers.push('traceparent', formatTraceParent(traceParent, attempt?.spanId ?? createSpanId()));
  if (traceParent.tracestate !== undefined) headers.push('tracestate', traceParent.tracestate);
}

interface SendParts {
  readonly wire: ProviderFormat;
  readonly signed: SignedRequest;
  /** Undefined if nobody asks for them. */
  readonly times?: AttemptTimes;
  /** Set for a relay. */
  readonly relay?: RelayedRequest;
}

/** How a relay differs from a call in the canonical form. */
interface RelayedRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** The body, if it is streamed: it can be sent only once. */
  readonly upload: Readable | undefined;
  /** Whether a response of this content type is only useful when complete. */
  isDocument(contentType: string): boolean;
}

/** Retries only while nothing was sent: a call that may have been received is never sent twice. */
export async function send(
  exchange: Exchange,
  egress: ProviderEgress,
  sendParts: SendParts,
): Promise<ProviderResponse> {
  const { presence: clientPresence, target, clientRequest } = exchange;
  const { times, relay } = sendParts;
  const { baseUrl, headers, body } = sendParts.signed;
  const endpoint = egress.endpointFor(target.provider, baseUrl);
  const path = endpoint.basePath + sendParts.signed.path;
  const explain = (cause: unknown, hasStarted: boolean) => {
    if (clientPresence.hasLeft) return clientGoneError(cause);
    // A streamed body that is too large or too slow.
    if (GatewayError.is(cause)) return cause;
    return hasStarted ? interruptedError(target.provider, cause) : unreachableError(target.provider, cause);
  };
  if (body.byteLength >= kernelLimits.eagerlyFreedBodyBytesMin) releaseOnceSent(body, clientRequest);
  if (times !== undefined) times.sentAtMs = performance.now();
  for (let attempt = 1; ; attempt++) {
    const responseReader = new ResponseReader(clientPresence, explain, relay?.isDocument);
    const method = relay?.method ?? 'POST';
    endpoint.dispatch({ path, method, headers, body: relay?.upload ?? body }, responseReader);
    try {
      const head = await responseReader.head;
      const { 'content-encoding': encoding = 'identity' } = head.headers;
      const plain = encoding === 'identity' ? undefined : decompressBody(responseReader, encoding);
      return plain === undefined
        ? toProviderResponse(head, responseReader, sendParts)
        : await sniffFraming(toProviderResponse(withoutEncoding(head), plain, sendParts));
    } catch (failure) {
      if (attempt >= limits.connectAttemptsMax || !isConnectFailure(failure)) throw failure;
      if (relay?.upload !== undefined) throw failure;
      await waitBeforeRetry(attempt, exchange.signal);
    } finally {
      if (times !== undefined) {
        times.connectedAtMs = responseReader.connectedAtMs;
        times.headAtMs = responseReader.headAtMs;
      }
    }
  }
}

/** Releases our own bytes once sent; the client's bytes may be needed for another attempt. */
function releaseOnceSent(body: Uint8Array, clientRequest: ClientRequest): void {
  const release = body === clientRequest.bytes ? clientRequest.retain() : () => releaseBytes(body);
  if (release !== undefined) onSent(body, release);
}

function withoutEncoding(head: ProviderResponseHead): ProviderResponseHead {
  return { ...head, headers: { ...head.headers, 'content-encoding': undefined } };
}

function toProviderResponse(
  { status, headers, framing }: ProviderResponseHead,
  body: Source<Uint8Array>,
  { wire, signed }: SendParts,
): ProviderResponse {
  const isEventStream = headers['content-type']?.startsWith(awsEventStreamContentType) === true;
  return {
    wire,
    framing,
    status,
    headers: filterResponseHeaders(headers, signed.secrets),
    secrets: signed.secrets,
    body: isEventStream ? eventStreamToSse(body) : body,
  };
}
