import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError } from '../kernel/errors.ts';
import { type HeaderList, headerOf } from '../kernel/headers.ts';
import type { JsonObject } from '../kernel/json.ts';
import { limits } from '../kernel/limits.ts';
import type { WireFormat } from '../kernel/wire-format.ts';

/** What is known of a request before anybody looked at its body. */
export interface Call {
  readonly id: string;
  readonly path: string;
  /** With its question mark, or empty. */
  readonly query: string;
  /** Headers for a browser whose origin may call. */
  readonly cors: HeaderList;
}

/** The one shape of errors, readable by the SDKs of all formats; `wire` words the type on inference routes. */
export function errorEnvelope(error: GatewayError, requestId: string, wire?: WireFormat): JsonObject {
  const { param, detail, beside, toldCode } = error.details;
  return {
    type: 'error',
    error: {
      type: wire === undefined ? ownErrorType(error) : wire.errorType(error.status, error.code),
      message: error.message,
      code: toldCode ?? error.code,
      param: param ?? null,
      ...(detail !== undefined && { detail }),
    },
    request_id: requestId,
    ...beside,
  };
}

function ownErrorType({ status, code }: GatewayError): string {
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

/** Anything that isn't worded for callers is a bug, and callers get no more than that. */
export function asGatewayError(thrown: unknown): GatewayError {
  if (GatewayError.is(thrown)) return thrown;
  return new GatewayError(
    'internal',
    'something went wrong in the gateway; the log has it under this request id',
    { cause: thrown },
  );
}

export function errorHeaders(error: GatewayError, call: Call): HeaderList {
  const { retryAfterSeconds, shouldRetry, headers } = error.details;
  return [
    'x-request-id',
    call.id,
    'request-id',
    call.id,
    ...call.cors,
    ...(headers ?? []),
    ...(retryAfterSeconds === undefined ? [] : ['retry-after', String(Math.ceil(retryAfterSeconds))]),
    ...(shouldRetry === undefined ? [] : ['x-should-retry', String(shouldRetry)]),
  ];
}

/** Answers with an error of our own, on a response that has not begun. */
export function sendError(res: ServerResponse, error: GatewayError, call: Call, wire?: WireFormat): void {
  const body = Buffer.from(JSON.stringify(errorEnvelope(error, call.id, wire)));
  // After a body that was not read to its end the connection can't carry another request.
  const sending = isSending(res.req);
  const headers = errorHeaders(error, call);
  const close = sending && headerOf(headers, 'connection') === undefined ? ['connection', 'close'] : [];
  res.writeHead(error.status, [
    'content-type',
    'application/json; charset=utf-8',
    'content-length',
    String(body.byteLength),
    ...headers,
    ...close,
  ]);
  if (sending) endAfterRequest(res.req, res, body);
  else res.end(body);
}

function isSending({ complete, headers }: IncomingMessage): boolean {
  return !complete && (headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0);
}

/** The answer goes out at once; the connection closes later, since a client that is cut off while it sends loses it. */
function endAfterRequest(req: IncomingMessage, res: ServerResponse, body: Uint8Array): void {
  let bytes = 0;
  const end = () => {
    clearTimeout(enough);
    res.end();
  };
  const enough = setTimeout(end, limits.lingerMs);
  req.on('data', (chunk: Uint8Array) => {
    bytes += chunk.byteLength;
    if (bytes > limits.lingerBytesMax) end();
  });
  req.on('end', end).on('close', end).resume();
  res.write(body);
}

/** An answer that is whole already, with its own headers beside ours. */
export function sendWhole(
  res: ServerResponse,
  answer: { readonly status: number; readonly headers: HeaderList; readonly bytes: Uint8Array },
  call: Call,
): void {
  const { status, headers, bytes } = answer;
  res.writeHead(status, [
    ...headers,
    'x-request-id',
    call.id,
    ...call.cors,
    'content-length',
    String(bytes.byteLength),
  ]);
  res.end(bytes);
}
