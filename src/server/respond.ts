import type { HttpResponse } from '../http/response.ts';
import { GatewayError, isPermanent } from '../kernel/errors.ts';
import type { SocketCall } from '../kernel/socket-format.ts';
import type { WireFormat } from '../kernel/wire-format.ts';
import { systemClock } from '../lib/clock.ts';
import { type HeaderList, headerOf } from '../lib/headers.ts';
import type { JsonObject } from '../lib/json.ts';
import { clientRequestIdOf } from '../telemetry/client-request-id.ts';
import type { Refusal } from '../telemetry/refusals.ts';
import { limits as wireLimits } from '../wire/limits.ts';
import { replaceLimitHeaders } from './limit-headers.ts';
import { limits } from './limits.ts';

/** A request's context before its body is read. */
export interface RequestContext {
  readonly id: string;
  readonly path: string;
  /** Empty, or the query string with its question mark. */
  readonly query: string;
  /** The client's address, resolved through trusted proxies. */
  readonly clientAddress: string;
  /** CORS headers, if the origin is allowed. */
  readonly cors: HeaderList;
  /** Set for a call over a WebSocket. */
  readonly socket?: SocketCall;
  /** Gets every error response to a request that is not counted as a call. */
  readonly onRefused?: RefusalListener | undefined;
  /** The account and key, once they are known. */
  accountId?: string;
  keyId?: string | undefined;
  /** What is left of the caller's rate limits; undefined if there are none. */
  limitHeaders?: HeaderList;
  /** Whether the metrics of calls or token counts have the request. */
  isCounted?: boolean;
  /** Why the call was rejected, if it was. */
  failure?: GatewayError;
  /** Headers that modules have set, for the response to a call that fails. */
  moduleHeaders?: HeaderList;
}

/** How errors look to the clients of a route. */
export interface ErrorFormat extends Pick<WireFormat, 'errorType' | 'errorCodes'> {
  errorBody?(envelope: JsonObject, error: GatewayError): JsonObject;
  /** JSON by default. */
  readonly contentType?: string;
}

type RefusalListener = (refusal: Refusal, facts: object) => void;

/** Reports a refused request. */
export function reportRefusal(
  refusal: Refusal,
  { id, accountId, keyId, isCounted, onRefused }: RequestContext,
  headers: HeaderList,
): void {
  if (isCounted === true) return;
  onRefused?.(refusal, { id, account: accountId, key: keyId, client_request_id: clientRequestIdOf(headers) });
}

/** The error body, readable by the SDKs of all wire formats; `wire` determines the type on inference routes. */
export function errorEnvelope(error: GatewayError, requestId: string, wire?: ErrorFormat): JsonObject {
  const { param, detail, extraFields, providerCode, upgradeUrl } = error.details;
  const resetsAtMs = resetTimeOf(error);
  const envelope = {
    type: 'error',
    error: {
      type: errorTypeOf(error, wire),
      message: error.message,
      code: providerCode ?? wire?.errorCodes?.[error.code] ?? error.code,
      param: param ?? null,
      ...(detail !== undefined && { detail }),
      ...(upgradeUrl !== undefined && { upgrade_url: upgradeUrl }),
      ...(resetsAtMs !== undefined && { resets_at: new Date(resetsAtMs).toISOString() }),
    },
    request_id: requestId,
    ...extraFields,
  };
  if (sandboxCodes.has(error.code)) return envelope;
  return wire?.errorBody?.(envelope, error) ?? envelope;
}

function resetTimeOf(error: GatewayError): number | undefined {
  const { resetsAtMs, retryAfterSeconds = 0 } = error.details;
  if (resetsAtMs !== undefined || !isLongWait(error)) return resetsAtMs;
  return systemClock.now() + retryAfterSeconds * 1000;
}

/** A provider's retry-after is passed through, however long it is. */
function isLongWait({ code, details: { retryAfterSeconds = 0 } }: GatewayError): boolean {
  return code !== 'upstream_error' && retryAfterSeconds > wireLimits.retryAfterSecondsMax;
}

/** Anonymous sessions always get the same error type. */
function errorTypeOf(error: GatewayError, wire: ErrorFormat | undefined): string {
  if (sandboxCodes.has(error.code)) return error.code;
  return wire === undefined ? apiErrorType(error) : wire.errorType(error.status, error.code);
}

const sandboxCodes: ReadonlySet<string> = new Set([
  'invalid_session_id',
  'invalid_anon_token',
  'session_expired',
  'request_limit_exceeded',
]);

function apiErrorType({ status, code }: GatewayError): string {
  if (code === 'local_mode') return 'permission_error';
  switch (status) {
    case 401:
      return 'authentication_error';
    case 403:
      return 'permission_error';
    case 404:
      return 'not_found';
    case 429:
      return 'rate_limit_error';
    default:
      return status >= 500 ? 'internal_error' : 'invalid_request';
  }
}

/** Other errors are bugs; their messages are not shown to callers. */
export function asGatewayError(thrown: unknown): GatewayError {
  if (GatewayError.is(thrown)) return thrown;
  return new GatewayError(
    'internal',
    'internal error in the gateway; the log has details under this request id',
    { cause: thrown },
  );
}

/** Keeps browsers from guessing another content type. */
export const noSniffHeaders: HeaderList = ['x-content-type-options', 'nosniff'];

export function errorHeaders(error: GatewayError, requestContext: RequestContext): HeaderList {
  const { retryAfterSeconds, shouldRetry, headers } = error.details;
  const tooLong = isLongWait(error);
  return [
    ...noSniffHeaders,
    'x-request-id',
    requestContext.id,
    'request-id',
    requestContext.id,
    ...requestContext.cors,
    ...(requestContext.limitHeaders ?? []),
    ...(requestContext.moduleHeaders ?? []),
    ...(headers ?? []),
    ...(retryAfterSeconds === undefined || tooLong
      ? []
      : ['retry-after', String(Math.ceil(retryAfterSeconds))]),
    ...(tooLong || isPermanent(error) ? ['x-should-retry', 'false'] : []),
    ...(shouldRetry === true ? ['x-should-retry', 'true'] : []),
  ];
}

/** Sends an error, on a response that has not begun. */
export function sendError(
  res: HttpResponse,
  error: GatewayError,
  requestContext: RequestContext,
  wire?: ErrorFormat,
): void {
  reportRefusal(error, requestContext, res.request.headers);
  const bytes = Buffer.from(JSON.stringify(errorEnvelope(error, requestContext.id, wire)));
  const type = ['content-type', wire?.contentType ?? 'application/json; charset=utf-8'];
  const length = ['content-length', String(bytes.byteLength)];
  writeResponse(res, {
    status: error.status,
    headers: [...type, ...length, ...errorHeaders(error, requestContext)],
    bytes,
  });
}

export interface BufferedResponse {
  readonly status: number;
  readonly headers: HeaderList;
  readonly bytes: Uint8Array;
}

/** Sends a whole response. If the request body was not fully read, the connection cannot be reused. */
export function writeResponse(res: HttpResponse, { status, headers, bytes }: BufferedResponse): void {
  if (res.request.body.isComplete) {
    res.writeHead(status, headers).end(bytes);
    return;
  }
  const close = headerOf(headers, 'connection') === undefined ? ['connection', 'close'] : [];
  res.writeHead(status, [...headers, ...close]);
  endAfterRequest(res, bytes);
}

/** Sends the response at once and closes later: a client that is cut off while sending would lose the response. */
function endAfterRequest(res: HttpResponse, answer: Uint8Array): void {
  let bytes = 0;
  const onEnd = () => {
    clearTimeout(enough);
    res.end();
  };
  const enough = setTimeout(onEnd, limits.lingerMs);
  res.flushHead();
  res.write(answer);
  res.request.body.read({
    onChunk(chunk) {
      bytes += chunk.byteLength;
      if (bytes > limits.lingerBytesMax) onEnd();
    },
    onEnd,
    onAbort: onEnd,
  });
}

/** Sends a complete response with its own headers, or those of a provider. */
export function sendResponse(
  res: HttpResponse,
  { status, headers, bytes }: BufferedResponse,
  requestContext: RequestContext,
): void {
  const length = ['content-length', String(bytes.byteLength)];
  const { limitHeaders } = requestContext;
  const own = limitHeaders === undefined ? headers : replaceLimitHeaders(headers, limitHeaders);
  writeResponse(res, {
    status,
    headers: [...own, 'x-request-id', requestContext.id, ...requestContext.cors, ...length],
    bytes,
  });
}

/** A gateway that shuts down accepts no further calls. */
export function drainingError(): GatewayError {
  return new GatewayError('draining', 'this gateway is shutting down', {
    retryAfterSeconds: 1,
    headers: ['connection', 'close'],
  });
}
