import { LazyJsonObject } from '../../../kernel/json/lazy-json-object.ts';
import { patchJson } from '../../../kernel/json/patch-json.ts';
import type { SocketError, SocketEvent } from '../../../kernel/socket-format.ts';
import { numberOf, objectOf, stringOf } from '../../json-values.ts';
import { decodeOpenaiError } from '../../openai/errors.ts';

/** The `response.create` for the body of a call over HTTP. */
export function encodeCall(httpBody: Uint8Array, lane: string | undefined): Uint8Array {
  const message = LazyJsonObject.of(httpBody, noLimits);
  return patchJson(message, { type: 'response.create', stream_id: lane, stream: undefined });
}

/** For bodies that were read or written here before. */
const noLimits = { valuesMax: Number.POSITIVE_INFINITY, depthMax: Number.POSITIVE_INFINITY };

/** Reads an event that a provider sent over a WebSocket. */
export function readEvent(message: Buffer): SocketEvent | undefined {
  const event = LazyJsonObject.ofAnswer(message);
  const type = stringOf(event?.get('type'));
  if (event === undefined || type === undefined) return undefined;
  const error = type === 'error' ? readError(event) : undefined;
  return {
    lane: stringOf(event.get('stream_id')),
    frame: sseFrame(type, message),
    isLast: lastEvents.has(type),
    answerId: continuableEvents.has(type) ? stringOf(objectOf(event.get('response'))?.id) : undefined,
    error,
    fault: faults.get(objectOf(error?.body.error)?.code),
  };
}

const faults: ReadonlyMap<unknown, SocketEvent['fault']> = new Map([
  ['websocket_connection_limit_reached', 'connection'],
  ['previous_response_not_found', 'previous'],
]);

const continuableEvents: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete']);
const lastEvents: ReadonlySet<string> = new Set([
  ...continuableEvents,
  'response.failed',
  'response.cancelled',
  'error',
]);

function sseFrame(type: string, message: Buffer): Uint8Array {
  const name = eventName.test(type) ? `event: ${type}\n` : '';
  const isOneLine = !message.includes(10) && !message.includes(13);
  // A line break can only stand between the tokens of JSON.
  const data = isOneLine ? message : Buffer.from(message.toString().replace(/[\r\n]/g, ' '));
  return Buffer.concat([Buffer.from(`${name}data: `), data, frameEnd]);
}

const eventName = /^[\w.]{1,100}$/;
const frameEnd = Buffer.from('\n\n');

/** The error is in a field of its own, or its fields are those of the event. */
function readError(event: LazyJsonObject): SocketError {
  const { type: _, status, status_code, headers, stream_id: __, ...fields } = event.parse();
  const error = objectOf(fields.error) ?? fields;
  const sent = Object.entries(objectOf(headers) ?? {}).filter(
    ([name, value]) => headerName.test(name) && headerValue.test(stringOf(value) ?? '\n'),
  );
  return {
    status: errorStatus(numberOf(status) ?? numberOf(status_code)) ?? decodeOpenaiError(error).status ?? 500,
    headers: sent.flatMap(([name, value]) => [name.toLowerCase(), String(value)]),
    body: { error },
  };
}

const headerName = /^[a-zA-Z0-9-]{1,100}$/;
const headerValue = /^[\x20-\x7e]{0,8192}$/;

function errorStatus(status: number | undefined): number | undefined {
  return status !== undefined && Number.isInteger(status) && status >= 400 && status < 600
    ? status
    : undefined;
}
