import { GatewayError } from '../../kernel/errors.ts';
import type { HeaderList } from '../../lib/headers.ts';
import type { JsonObject } from '../../lib/json.ts';
import { RpcError } from '../upstream/rpc-error.ts';

/** Codes of JSON-RPC and of MCP. */
export const codes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
  /** Of revision 2025-11-25: the person has to open an address first. */
  urlElicitationRequired: -32042,
} as const;

/** A request that does not follow the protocol. */
export class ProtocolError extends Error {
  readonly code: number;
  readonly status: number;
  readonly data: JsonObject | undefined;

  constructor(
    code: number,
    message: string,
    { status = 400, data }: { status?: number; data?: JsonObject } = {},
  ) {
    super(message);
    this.name = 'ProtocolError';
    this.code = code;
    this.status = status;
    this.data = data;
  }
}

/** An error as clients of the endpoint get it. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: HeaderList;
  readonly error: JsonObject;
}

/** Errors of a request that was understood are results of HTTP, so that clients read them. */
export function errorAnswer(thrown: unknown): ErrorAnswer {
  if (thrown instanceof ProtocolError) {
    const { status, code, message, data } = thrown;
    return { status, headers: [], error: { code, message, ...(data !== undefined && { data }) } };
  }
  if (thrown instanceof RpcError) {
    const { code, message, data } = thrown;
    const status = code === codes.missingCapability ? 400 : 200;
    return { status, headers: [], error: { code, message, ...(data !== undefined && { data }) } };
  }
  if (!GatewayError.is(thrown)) throw thrown;
  const { code, message, status, details } = thrown;
  const isAboutParameters = code === 'not_found' || code === 'invalid_request';
  const retry = details.retryAfterSeconds;
  return {
    status: refusals.has(status) ? status : 200,
    headers: retry === undefined ? [] : ['retry-after', String(Math.ceil(retry))],
    error: {
      code: isAboutParameters ? codes.invalidParams : codes.internal,
      message,
      data: { code, ...(retry !== undefined && { retryAfterSeconds: Math.ceil(retry) }) },
    },
  };
}

/** Clients act upon these statuses: they log in, wait or give up. */
const refusals: ReadonlySet<number> = new Set([401, 413, 415, 421, 429]);
