import { GatewayError } from '../../kernel/errors.ts';
import { parseBody } from '../../kernel/json/parse-body.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { codes, ProtocolError } from './protocol-error.ts';

export type RequestId = string | number;

/** A message of a client. */
export type Message =
  | { readonly kind: 'request'; readonly id: RequestId; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'notification'; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'response'; readonly id: RequestId; readonly message: JsonObject };

export type RequestMessage = Extract<Message, { readonly kind: 'request' }>;

/** Rejects bodies that two parsers could read differently, and batches, which only revision 2025-03-26 had. */
export function parseMessage(bytes: Uint8Array): Message {
  const start = bytes.find((byte) => !space.has(byte));
  if (start === openBracket)
    throw new ProtocolError(
      codes.invalidRequest,
      'batches are not supported; send one message in each request',
    );
  const message = parseJson(bytes);
  if (message.jsonrpc !== '2.0')
    throw new ProtocolError(codes.invalidRequest, 'the body must be one JSON-RPC 2.0 message');
  const { id, method, params = {} } = message;
  if (method === undefined && isRequestId(id) && ('result' in message || 'error' in message))
    return { kind: 'response', id, message };
  if (typeof method !== 'string') throw new ProtocolError(codes.invalidRequest, 'the message has no method');
  if (!isJsonObject(params)) throw new ProtocolError(codes.invalidRequest, 'params must be an object');
  if (id === undefined) return { kind: 'notification', method, params };
  if (!isRequestId(id)) throw new ProtocolError(codes.invalidRequest, 'id must be a text or a number');
  return { kind: 'request', id, method, params };
}

const space: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);
const openBracket = 0x5b;

function parseJson(bytes: Uint8Array): JsonObject {
  try {
    return parseBody(bytes);
  } catch (thrown) {
    if (!GatewayError.is(thrown)) throw thrown;
    throw new ProtocolError(codes.parseError, thrown.message);
  }
}

function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id));
}

/** `result` is JSON already: lists are serialized once for many clients. */
export function resultText(id: RequestId, result: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
}

export function errorText(id: RequestId | null, error: JsonObject): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error });
}

export function metaOf(params: JsonObject): JsonObject {
  return isJsonObject(params._meta) ? params._meta : {};
}
