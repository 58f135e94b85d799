import { GatewayError } from '../../../kernel/errors.ts';
import type { LazyJsonObject } from '../../../kernel/json/lazy-json-object.ts';
import type { SocketError, SocketFormat, SocketOutput } from '../../../kernel/socket-format.ts';
import { type HeaderList, headerOf } from '../../../lib/headers.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { objectOf, objectsOf, parseExactObject, stringOf } from '../../json-values.ts';
import { limits } from '../../limits.ts';
import { readCreateMessage } from './create-message.ts';
import { withLane } from './lane.ts';
import { answerPrepared } from './prepared-answer.ts';
import { encodeCall, readEvent } from './provider-messages.ts';

/** The Responses API over WebSocket: https://developers.openai.com/api/docs/guides/websocket-mode. */
export function createSocketFormat(path: string, seconds: () => number): SocketFormat {
  return {
    path,
    summary: 'OpenAI Responses over WebSocket',
    laneOf(message) {
      const lane = message.get('stream_id');
      if (lane === undefined || lane === null) return undefined;
      if (typeof lane === 'string' && lane !== '' && lane.length <= limits.laneCharactersMax) return lane;
      throw new GatewayError(
        'invalid_request',
        `"stream_id" must be a string of 1 to ${limits.laneCharactersMax} characters`,
        { param: 'stream_id' },
      );
    },
    readMessage(message) {
      const type = message.get('type');
      if (type === 'response.create') return readCreateMessage(message);
      if (type === 'response.steer') return { kind: 'unsupported', answer: rejectSteering(message) };
      throw new GatewayError('invalid_request', '"type" must be "response.create"', { param: 'type' });
    },
    callHeaders,
    handshakeHeaders: (upgradeHeaders) => headersWhere(upgradeHeaders, isSocketVersion),
    answerPrepared: (message, id) => answerPrepared(message, id, seconds()),
    readOutput,
    encodeHeaders: (headers, lane) =>
      withLane(JSON.stringify({ type: 'weir.headers', headers: headersForMessage(headers) }), lane),
    encodeError,
    encodeCall,
    readEvent,
  };
}

/** The upgrade request is older than the message: Codex repeats what may have changed in `client_metadata`. */
function callHeaders(upgradeHeaders: HeaderList, message: LazyJsonObject): HeaderList {
  const own: string[] = [];
  for (const [name, value] of Object.entries(objectOf(message.get('client_metadata')) ?? {})) {
    const header = headerIn(name);
    if (header !== undefined && typeof value === 'string' && headerValue.test(value)) own.push(header, value);
  }
  const headers = headersWhere(
    upgradeHeaders,
    (name, value) => !isSocketVersion(name, value) && headerOf(own, name) === undefined,
  );
  return [...headers, ...own];
}

/** The version of the API over WebSocket, which means nothing to the API over HTTP. */
function isSocketVersion(name: string, value: string): boolean {
  return name === 'openai-beta' && value.startsWith('responses_websockets=');
}

function headersWhere(headers: HeaderList, matches: (name: string, value: string) => boolean): HeaderList {
  const matching: string[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at] ?? '';
    const value = headers[at + 1] ?? '';
    if (matches(name.toLowerCase(), value)) matching.push(name, value);
  }
  return matching;
}

function headerIn(name: string): string | undefined {
  if (name === 'ws_request_header_traceparent') return 'traceparent';
  if (name === 'ws_request_header_tracestate') return 'tracestate';
  return codexHeader.test(name) ? name : undefined;
}

const codexHeader = /^x-codex-[a-z-]{1,60}$/;
const headerValue = /^[\x20-\x7e]{1,8192}$/;

/** A bridged response can't be steered: providers read their input once, when a call starts. */
function rejectSteering(message: LazyJsonObject): string {
  const error = {
    type: 'invalid_request_error',
    code: 'steering_not_supported',
    message: 'responses of this gateway cannot be steered; send the input with the next response.create',
  };
  const { input, previous_response_id } = message.parse();
  return JSON.stringify({
    type: 'response.steer.failed',
    sequence_number: 0,
    error,
    steer: { input, previous_response_id },
  });
}

/** The last event has the whole response. */
function readOutput(message: string): SocketOutput | undefined {
  if (!lastEvent.test(message)) return undefined;
  const event = parseExactObject(message) ?? {};
  const response = objectOf(event.response);
  const id = stringOf(response?.id);
  if (!lastEvents.has(event.type) || id === undefined) return undefined;
  const output = objectsOf(response?.output).filter(isRepeatable);
  const compaction = output.findLastIndex(({ type }) => type === 'compaction');
  const items = output.slice(Math.max(compaction, 0)).map((item) => JSON.stringify(item));
  return { id, items: Buffer.from(items.join(',')), replacesHistory: compaction >= 0 };
}

const lastEvents: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete']);
const lastEvent = /"response\.(?:completed|incomplete)"/;

/** A provider knows reasoning that it does not store only by its encrypted content. */
function isRepeatable({ type, encrypted_content }: JsonObject): boolean {
  return type !== 'reasoning' || typeof encrypted_content === 'string';
}

function encodeError({ status, headers, body }: SocketError, lane: string | undefined): string {
  // The SDK reads the headers of an error inside of it, Codex beside it.
  const sent = headersForMessage(headers);
  const error = { code: null, param: null, ...objectOf(body.error), headers: sent };
  return withLane(JSON.stringify({ ...body, type: 'error', status, error, headers: sent }), lane);
}

function headersForMessage(headers: HeaderList): JsonObject {
  const sent: Record<string, string> = {};
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = (headers[at] ?? '').toLowerCase();
    if (!connectionHeaders.has(name)) sent[name] = headers[at + 1] ?? '';
  }
  return sent;
}

/** Headers about the HTTP response itself. */
const connectionHeaders: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'content-type',
  'cache-control',
  'x-accel-buffering',
  'x-content-type-options',
]);
