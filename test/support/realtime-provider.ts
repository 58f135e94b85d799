import type { IncomingMessage } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import type { JsonObject } from '../../src/lib/json.ts';
import type { FakeUpstream } from '../../src/testing/fake-upstream.ts';
import { parseObject } from '../../src/wire/json-values.ts';

/** A message as it was sent on the wire. */
interface PassedMessage {
  readonly data: Buffer;
  readonly isBinary: boolean;
}

/** One connection of the gateway to the provider. */
export interface ProviderSession {
  readonly request: IncomingMessage;
  readonly webSocket: WebSocket;
  readonly received: PassedMessage[];
  /** The close code of the gateway; undefined while it is open. */
  closedWith: number | undefined;
  send(event: object | string | Buffer): void;
}

type Answer = (event: JsonObject, session: ProviderSession, message: PassedMessage) => void;

/** A provider of sessions over WebSocket that does what a test says. */
export class RealtimeProvider {
  readonly sessions: ProviderSession[] = [];
  #onOpen: (session: ProviderSession) => void = () => undefined;
  #answer: Answer = () => undefined;

  static at(fake: FakeUpstream): RealtimeProvider {
    const provider = new RealtimeProvider();
    const server = new WebSocketServer({
      ...{ noServer: true, clientTracking: false, perMessageDeflate: false, autoPong: false },
      ...{ maxPayload: 64 * 1024 * 1024, maxFragments: 1000, closeTimeout: 1000 },
      handleProtocols: () => false,
    });
    fake.onUpgrade((request, socket, head) => {
      const { method = '', headers } = request;
      const names = ['upgrade', 'sec-websocket-key', 'sec-websocket-version'];
      const handshake = Object.fromEntries(names.map((name) => [name, String(headers[name])]));
      server.handleUpgrade({ method, headers: handshake }, socket, head, (opened) =>
        provider.#serve(request, opened),
      );
    });
    return provider;
  }

  /** Begins anew for another test. */
  script(onOpen: (session: ProviderSession) => void, answer: Answer = () => undefined): void {
    this.sessions.length = 0;
    this.#onOpen = onOpen;
    this.#answer = answer;
  }

  get last(): ProviderSession {
    const session = this.sessions.at(-1);
    if (session === undefined) throw new Error('the provider has no session');
    return session;
  }

  #serve(request: IncomingMessage, webSocket: WebSocket): void {
    const session: ProviderSession = {
      ...{ request, webSocket, received: [], closedWith: undefined },
      send: (event) =>
        webSocket.send(Buffer.isBuffer(event) || typeof event === 'string' ? event : JSON.stringify(event), {
          binary: Buffer.isBuffer(event),
        }),
    };
    this.sessions.push(session);
    webSocket.on('error', () => undefined);
    webSocket.on('close', (code) => {
      session.closedWith = code;
    });
    webSocket.on('ping', (data) => webSocket.pong(data));
    webSocket.on('message', (data, isBinary) => {
      const message = { data, isBinary };
      session.received.push(message);
      this.#answer(parseObject(data.toString()) ?? {}, session, message);
    });
    this.#onOpen(session);
  }
}

/** Usage as OpenAI reports it. */
export function realtimeUsage(counts: {
  readonly text?: number;
  readonly audio?: number;
  readonly cachedText?: number;
  readonly cachedAudio?: number;
  readonly textOut?: number;
  readonly audioOut?: number;
}): JsonObject {
  const { text = 0, audio = 0, cachedText = 0, cachedAudio = 0, textOut = 0, audioOut = 0 } = counts;
  return {
    total_tokens: text + audio + textOut + audioOut,
    input_tokens: text + audio,
    output_tokens: textOut + audioOut,
    input_token_details: {
      ...{ text_tokens: text, audio_tokens: audio, image_tokens: 0, cached_tokens: cachedText + cachedAudio },
      cached_tokens_details: { text_tokens: cachedText, audio_tokens: cachedAudio, image_tokens: 0 },
    },
    output_token_details: { text_tokens: textOut, audio_tokens: audioOut },
  };
}

let responses = 0;

/** The events of a response of OpenAI's API. */
export function responseEvents(text: string, usage: JsonObject, more: JsonObject = {}): readonly object[] {
  const id = `resp_${++responses}`;
  const delta = { response_id: id, item_id: 'item_1', output_index: 0, content_index: 0 };
  return [
    {
      type: 'response.created',
      event_id: 'event_1',
      response: { id, object: 'realtime.response', status: 'in_progress' },
    },
    {
      type: 'response.output_audio.delta',
      event_id: 'event_2',
      ...delta,
      delta: Buffer.from(text).toString('base64'),
    },
    {
      type: 'response.done',
      event_id: 'event_3',
      response: { id, object: 'realtime.response', status: 'completed', output: [], usage, ...more },
    },
  ];
}
