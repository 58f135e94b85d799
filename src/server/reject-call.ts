import type { HttpResponse } from '../http/response.ts';
import type { WireFormat } from '../kernel/wire-format.ts';
import type { Log } from '../telemetry/log.ts';
import { asGatewayError, type RequestContext, sendError, sendResponse } from './respond.ts';

interface RejectionContext {
  readonly res: HttpResponse;
  readonly context: RequestContext;
  readonly wire: WireFormat;
  readonly log: Log;
}

/** Sends an error to a client of the data plane, if the response has not begun; also logs bugs. */
export function rejectCall(thrown: unknown, { res, context, wire, log }: RejectionContext): void {
  const error = asGatewayError(thrown);
  if (error.code === 'internal') log.error({ id: context.id, err: error.cause }, 'bug');
  if (res.isClosed) return;
  const { upstream } = error.details;
  if (res.headersSent) res.destroy();
  // A provider's error is passed through to clients of the same wire format.
  else if (upstream !== undefined && upstream.wire === wire) sendResponse(res, upstream, context);
  else sendError(res, error, context, wire);
}
