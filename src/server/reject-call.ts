import type { HttpResponse } from '../http/response.ts';
import { GatewayError } from '../kernel/errors.ts';
import type { WireFormat } from '../kernel/wire-format.ts';
import { type HeaderList, withoutHeaders } from '../lib/headers.ts';
import type { Log } from '../telemetry/log.ts';
import {
  asGatewayError,
  type BufferedResponse,
  type RequestContext,
  sendError,
  sendResponse,
} from './respond.ts';
import { failedStreamMessages } from './sockets/failed-stream.ts';

interface RejectionContext {
  readonly res: HttpResponse;
  readonly context: RequestContext;
  readonly wire: WireFormat;
  readonly log: Log;
}

/** Sends an error to a client of the data plane, if the response has not begun; also logs bugs. */
export function rejectCall(thrown: unknown, { res, context, wire, log }: RejectionContext): void {
  const error = asGatewayError(thrown);
  context.failure = error;
  if (error.code === 'internal') log.error({ id: context.id, err: error.cause }, 'bug');
  if (res.isClosed) return;
  const { upstream } = error.details;
  if (res.headersSent) res.destroy();
  // A provider's error is passed through to clients of the same wire format.
  else if (upstream !== undefined && upstream.wire === wire) {
    const bytes = bytesForClient(upstream, wire, context);
    if (bytes === undefined) sendError(res, error, context, wire);
    else sendResponse(res, { ...upstream, headers: errorResponseHeaders(error, context), bytes }, context);
  } else sendError(res, error, context, wire);
}

/** The provider's headers, with the time for a retry that a module has found instead of the provider's. */
function errorResponseHeaders(error: GatewayError, { moduleHeaders = [] }: RequestContext): HeaderList {
  const { upstream, retryAfterSeconds } = error.details;
  const headers = [...(upstream?.headers ?? []), ...moduleHeaders];
  if (GatewayError.originalOf(error) === error || retryAfterSeconds === undefined) return headers;
  const seconds = String(Math.ceil(retryAfterSeconds));
  return [...withoutHeaders(headers, ['retry-after', 'retry-after-ms']), 'retry-after', seconds];
}

/** Undefined for a WebSocket on which nothing would say that the stream has ended. */
function bytesForClient(
  { status, bytes }: BufferedResponse,
  wire: WireFormat,
  context: RequestContext,
): Uint8Array | undefined {
  return context.socket !== undefined && status < 300 ? failedStreamMessages(bytes, wire, context) : bytes;
}
