import type { HttpResponse } from '../http/response.ts';
import type { WireFormat } from '../kernel/wire-format.ts';
import type { Log } from '../telemetry/log.ts';
import { asGatewayError, type Call, sendError, sendWhole } from './respond.ts';

interface Refused {
  readonly res: HttpResponse;
  readonly call: Call;
  readonly wire: WireFormat;
  readonly log: Log;
}

/** Tells a client of the data plane why there is no answer, if it can still be told; a bug goes to the log too. */
export function refuse(thrown: unknown, { res, call, wire, log }: Refused): void {
  const error = asGatewayError(thrown);
  if (error.code === 'internal') log.error({ id: call.id, err: error.cause }, 'bug');
  if (res.isOver) return;
  const { upstream } = error.details;
  if (res.headersSent) res.destroy();
  // A provider's own refusal goes as it came to a client that speaks its format.
  else if (upstream !== undefined && upstream.wire === wire) sendWhole(res, upstream, call);
  else sendError(res, error, call, wire);
}
