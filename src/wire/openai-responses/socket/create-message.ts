import { GatewayError } from '../../../kernel/errors.ts';
import type { LazyJsonObject } from '../../../kernel/json/lazy-json-object.ts';
import type { SocketRequest } from '../../../kernel/socket-format.ts';
import { stringOf } from '../../json-values.ts';

/** Fields of the message that a body over HTTP has not, or has with another value. */
const socketFields: ReadonlySet<string> = new Set(['type', 'stream_id', 'generate', 'stream', 'background']);

/** Reads a `response.create` message. */
export function readCreateMessage(message: LazyJsonObject): SocketRequest {
  if (message.get('background') === true)
    throw new GatewayError('invalid_request', '"background" is not supported over WebSocket', {
      param: 'background',
    });
  if (typeof message.get('model') !== 'string')
    throw new GatewayError('invalid_request', '"model" must be a string that names a model', {
      param: 'model',
    });
  const isPrepared = message.get('generate') === false;
  const items = inputItemsIn(message);
  return {
    kind: 'request',
    previous: stringOf(message.get('previous_response_id')),
    isPrepared,
    isKeptOnSocket: isPrepared || message.get('store') === false,
    items,
    httpBody: (history, previous) =>
      history.length === 0 ? bodyWithout(message, socketFields) : expandedBody(message, history, previous),
  };
}

function expandedBody(
  message: LazyJsonObject,
  history: readonly Buffer[],
  previous: string | undefined,
): Buffer {
  const input = [...history, inputItemsIn(message)].filter(({ byteLength }) => byteLength > 0);
  const pieces: Uint8Array[] = [bodyWithout(message, expandedFields).subarray(0, -1)];
  pieces.push(Buffer.from(',"input":['));
  for (const [at, items] of input.entries()) pieces.push(...(at === 0 ? [items] : [comma, items]));
  const rest = previous === undefined ? '' : `,"previous_response_id":${JSON.stringify(previous)}`;
  return Buffer.concat([...pieces, Buffer.from(`]${rest}}`)]);
}

const expandedFields: ReadonlySet<string> = new Set([...socketFields, 'input', 'previous_response_id']);

/** The message without some fields, as the body of a streamed call. */
function bodyWithout(message: LazyJsonObject, left: ReadonlySet<string>): Buffer {
  const pieces: Uint8Array[] = [Buffer.from('{"stream":true')];
  for (const { name, valueStart, valueEnd } of message.members())
    if (!left.has(name))
      pieces.push(Buffer.from(`,${JSON.stringify(name)}:`), message.bytes.subarray(valueStart, valueEnd));
  return Buffer.concat([...pieces, Buffer.from('}')]);
}

/** The input without the brackets around its items. */
function inputItemsIn(message: LazyJsonObject): Buffer {
  const input = message.members().find(({ name }) => name === 'input');
  if (input === undefined) return noItems;
  const { valueStart, valueEnd } = input;
  const value = message.bytes.subarray(valueStart, valueEnd);
  if (value[0] === quote)
    return Buffer.from(`{"type":"message","role":"user","content":${value.toString()}}`);
  if (value[0] !== openBracket) return noItems;
  const items = value.subarray(1, -1);
  return message.listBytes('input') === 0 || items.every(isBlank) ? noItems : items;
}

function isBlank(byte: number): boolean {
  return byte === 32 || (byte >= 9 && byte <= 13);
}

const noItems = Buffer.alloc(0);
const comma = Buffer.from(',');
const quote = 34;
const openBracket = 91;
