import type { Readable } from 'node:stream';
import type { ProviderEgress } from '../egress/provider-egress.ts';
import { onSent } from '../egress/sent-callbacks.ts';
import type { AttemptProgress } from '../kernel/attempt.ts';
import type { ClientRequest } from '../kernel/client-request.ts';
import { GatewayError } from '../kernel/errors.ts';
import type { Exchange } from '../kernel/exchange.ts';
import { limits as kernelLimits } from '../kernel/limits.ts';
import type { ProviderResponse } from '../kernel/reply/provider-response.ts';
import type { Source } from '../kernel/reply/source.ts';
import type { SignedRequest } from '../kernel/signing.ts';
import type { ProviderFormat } from '../kernel/wire-format.ts';
import { releaseBytes } from '../lib/body-memory.ts';
import { awsEventStreamContentType } from '../wire/aws-event-stream.ts';
import {
  clientGoneError,
  interruptedError,
  isConnectFailure,
  lateContentError,
  unreachableError,
  waitBeforeRetry,
} from './connection-errors.ts';
import { decompressBody } from './decompress-body.ts';
import { eventStreamToSse } from './event-stream-to-sse.ts';
import { filterResponseHeaders } from './forwarded-headers.ts';
import { limits } from './limits.ts';
import { type ProviderResponseHead, ResponseReader } from './response-reader.ts';
import { sniffFraming } from './sniff-framing.ts';

interface SendParts {
  readonly wire: ProviderFormat;
  readonly signed: SignedRequest;
  /** Undefined if nobody asks for them. */
  readonly progress?: AttemptProgress;
  /** Set for a relay. */
  readonly relay?: RelayedRequest;
}

/** How a relay differs from a call in the canonical form. */
interface RelayedRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
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
  const { progress, relay } = sendParts;
  const { baseUrl, headers, body } = sendParts.signed;
  const endpoint = egress.endpointFor(target.provider, baseUrl);
  const path = endpoint.basePath + sendParts.signed.path;
  const describe = describeFailure(exchange);
  if (body.byteLength >= kernelLimits.eagerlyFreedBodyBytesMin) releaseOnceSent(body, clientRequest);
  if (progress !== undefined) progress.sentAtMs = performance.now();
  for (let attempt = 1; ; attempt++) {
    exchange.trace.egress?.addRequest(endpoint.host);
    const responseReader = new ResponseReader(clientPresence, describe, relay?.isDocument);
    const method = relay?.method ?? 'POST';
    endpoint.dispatch({ path, method, headers, body: relay?.upload ?? body }, responseReader);
    try {
      const head = await responseReader.head;
      if (progress !== undefined) progress.providerRequestId = requestIdIn(head.headers);
      const { 'content-encoding': encoding = 'identity' } = head.headers;
      const plain = encoding === 'identity' ? undefined : decompressBody(responseReader, encoding);
      return plain === undefined
        ? toProviderResponse(head, responseReader, sendParts)
        : await sniffFraming(toProviderResponse(withoutEncoding(head), plain, sendParts));
    } catch (failure) {
      if (attempt >= limits.connectAttemptsMax || !isConnectFailure(failure)) throw failure;
      // A body that was streamed is gone, and a limited attempt has a module that decides what comes next.
      if (relay?.upload !== undefined || exchange.attemptLimit !== undefined) throw failure;
      await waitBeforeRetry(attempt, exchange.signal);
    } finally {
      if (progress !== undefined) {
        progress.connectedAtMs = responseReader.connectedAtMs;
        progress.headAtMs = responseReader.headAtMs;
      }
    }
  }
}

/** The names of the header in which providers send their id of a request. */
const requestIdHeaders = ['request-id', 'x-request-id', 'x-amzn-requestid', 'apim-request-id', 'cf-ray'];

function requestIdIn(headers: ProviderResponseHead['headers']): string | undefined {
  for (const name of requestIdHeaders) {
    const id = headers[name];
    if (typeof id === 'string' && requestIdPattern.test(id)) return id;
  }
  return undefined;
}

const requestIdPattern = /^[\w.:/+=-]{1,100}$/;

/** Describes a broken connection for the client; `hasStarted` if part of the response had arrived. */
export function describeFailure({
  presence: clientPresence,
  attemptLimit,
  target: { provider },
}: Exchange): (cause: unknown, hasStarted: boolean) => GatewayError {
  return (cause, hasStarted) => {
    if (attemptLimit?.hasExpired === true) return lateContentError(provider, attemptLimit.contentMs);
    if (clientPresence.hasLeft) return clientGoneError(cause);
    // A streamed body that is too large or too slow.
    if (GatewayError.is(cause)) return cause;
    return hasStarted
      ? interruptedError(provider, cause, attemptLimit !== undefined)
      : unreachableError(provider, cause);
  };
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
