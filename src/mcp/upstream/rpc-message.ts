import { scan } from '../../kernel/scan/scan.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { limits } from './limits.ts';
import type { RpcErrorParts } from './rpc-error.ts';
import { failedError } from './server-errors.ts';

export type RpcId = string | number;

export interface RpcResponse {
  readonly kind: 'response';
  /** Null where the server could not read the request. */
  readonly id: RpcId | null;
  readonly result: JsonObject;
}

interface RpcFailure {
  readonly kind: 'failure';
  readonly id: RpcId | null;
  readonly error: RpcErrorParts;
}

export interface RpcRequest {
  readonly kind: 'request';
  readonly id: RpcId;
  readonly method: string;
  readonly params: JsonObject;
}

export interface RpcNotification {
  readonly kind: 'notification';
  readonly method: string;
  readonly params: JsonObject;
}

export type RpcMessage = RpcResponse | RpcFailure | RpcRequest | RpcNotification;

/** Reads what a server has sent: one message, or an array of them. Throws for anything else. */
export function readMessages(server: string, bytes: Uint8Array): readonly RpcMessage[] {
  const found = scan(bytes, { valuesMax: limits.messageValuesMax, depthMax: limits.messageDepthMax });
  if (found === 'depth')
    throw failedError(server, `sent JSON with more than ${limits.messageDepthMax} levels`);
  if (found === 'values')
    throw failedError(server, `sent a message with more than ${limits.messageValuesMax} values`);
  if (found === 'syntax') throw failedError(server, 'sent something that is no JSON');
  const value: unknown = JSON.parse(
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'),
  );
  if (!Array.isArray(value)) return [readMessage(server, value)];
  if (value.length > limits.batchMessagesMax)
    throw failedError(server, `sent more than ${limits.batchMessagesMax} messages at once`);
  return value.map((item) => readMessage(server, item));
}

function readMessage(server: string, value: unknown): RpcMessage {
  if (!isJsonObject(value) || value.jsonrpc !== '2.0')
    throw failedError(server, 'sent something that is no JSON-RPC message');
  const { id, method, params, result, error } = value;
  const hasId = typeof id === 'string' || typeof id === 'number';
  if (typeof method === 'string') {
    const common = { method, params: isJsonObject(params) ? params : {} };
    return hasId ? { kind: 'request', id, ...common } : { kind: 'notification', ...common };
  }
  if (isJsonObject(error)) return { kind: 'failure', id: hasId ? id : null, error: readError(error) };
  if (isJsonObject(result)) return { kind: 'response', id: hasId ? id : null, result };
  throw failedError(server, 'sent a JSON-RPC message without a method, a result and an error');
}

export function readError({ code, message, data }: JsonObject): RpcErrorParts {
  return {
    code: typeof code === 'number' && Number.isSafeInteger(code) ? code : -32603,
    message: typeof message === 'string' ? message : '',
    ...(data !== undefined && { data }),
  };
}

/** What goes to a server. */
export type OutgoingMessage = JsonObject & { readonly jsonrpc: '2.0' };

export type OutgoingRequest = OutgoingMessage & {
  readonly id: number;
  readonly method: string;
  readonly params: JsonObject;
};

export function notification(method: string, params: JsonObject): OutgoingMessage {
  return { jsonrpc: '2.0', method, params };
}

/** The answer to a request of the server. */
export function answer(id: RpcId, result: JsonObject): OutgoingMessage {
  return { jsonrpc: '2.0', id, result };
}

export function refusal(id: RpcId, code: number, message: string): OutgoingMessage {
  return { jsonrpc: '2.0', id, error: { code, message } };
}
