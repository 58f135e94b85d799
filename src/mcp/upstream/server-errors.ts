import { EgressError } from '../../egress/egress-error.ts';
import { GatewayError } from '../../kernel/errors.ts';
import { limits } from './limits.ts';
import { RpcError, type RpcErrorParts } from './rpc-error.ts';

/** The server breaks the protocol, or a bound. */
export function failedError(server: string, what: string, cause?: unknown): GatewayError {
  return new GatewayError('mcp_server_failed', `the MCP server "${server}" ${what}`, {
    ...(cause !== undefined && { cause }),
  });
}

export function timeoutError(server: string, what: string): GatewayError {
  return new GatewayError('mcp_server_timeout', `the MCP server "${server}" ${what}`);
}

export function unreachableError(server: string, what: string, cause?: unknown): GatewayError {
  return new GatewayError('mcp_server_unreachable', `the MCP server "${server}" ${what}`, {
    ...(cause !== undefined && { cause }),
  });
}

/** A response with an HTTP status that says no. */
export class HttpFailure extends Error {
  readonly status: number;
  /** The JSON-RPC error in its body. */
  readonly rpc: RpcErrorParts | undefined;
  /** The `www-authenticate` header. */
  readonly challenge: string | undefined;

  constructor(parts: Pick<HttpFailure, 'status' | 'rpc' | 'challenge'>) {
    super(`HTTP ${parts.status}`);
    this.status = parts.status;
    this.rpc = parts.rpc;
    this.challenge = parts.challenge;
  }
}

/** The error of a failed request for the caller: the server's own, or one that names the server. */
export function describeFailure(server: string, thrown: unknown, signal?: AbortSignal): unknown {
  if (GatewayError.is(thrown) || thrown instanceof RpcError) return thrown;
  if (signal?.aborted === true) return signal.reason;
  if (thrown instanceof HttpFailure) return describeStatus(server, thrown);
  if (thrown instanceof EgressError) {
    if (thrown.code === 'EGRESS_TIMEOUT') return timeoutError(server, 'did not answer in time');
    if (thrown.code === 'EGRESS_TOO_LARGE')
      return failedError(server, `answered with more than ${limits.responseBytesMax} bytes`, thrown);
    return unreachableError(server, `can't be reached: ${thrown.message}`, thrown);
  }
  return unreachableError(server, 'broke the connection off before its answer was complete', thrown);
}

function describeStatus(server: string, failure: HttpFailure): Error {
  const { status, rpc } = failure;
  if (status === 401 || status === 403)
    return new GatewayError(
      'mcp_server_refused',
      `the MCP server "${server}" refuses the gateway's credential (HTTP ${status}); check the headers that are stored for it`,
      { cause: failure },
    );
  if (rpc !== undefined) return new RpcError(server, rpc);
  return failedError(server, `answered with HTTP ${status}`, failure);
}

/** A text of a server on one line, for a message of the gateway. */
export function quoted(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not get into logs and terminals.
  const line = text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').toWellFormed();
  return line.length > limits.reasonCharactersMax ? `${line.slice(0, limits.reasonCharactersMax)}…` : line;
}
