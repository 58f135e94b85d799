import type { IncomingHttpHeaders } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import type { FakeUpstream, SeenRequest } from '../../src/testing/fake-upstream.ts';
import { objectOf, objectsOf, parseObject, stringOf } from '../../src/wire/json-values.ts';
import { answering } from '../agents/scripted-turns.ts';

/** A message of the gateway to the provider. */
export interface ProviderMessage {
  readonly json: Readonly<Record<string, unknown>>;
  readonly bytes: number;
  /** The messages of the conversation, earlier ones on the same connection included. */
  readonly texts: readonly string[];
  readonly webSocket: WebSocket;
  /** Sends an event, as text or as object. */
  send(event: string | object): void;
  /** Sends the events of an answer with this text. */
  answer(text: string): void;
}

type Answer = (message: ProviderMessage) => void;

/** A provider of Responses over WebSocket. Like OpenAI, each connection remembers the last response of each lane. */
export class SocketProvider {
  readonly messages: ProviderMessage[] = [];
  readonly handshakes: IncomingHttpHeaders[] = [];
  readonly webSockets: WebSocket[] = [];
  /** What was sent to the gateway. */
  readonly sent: string[] = [];
  #answer: Answer = countTexts;

  /** Accepts WebSockets at a scripted provider; the answers have the number of messages in the conversation. */
  static at(fake: FakeUpstream): SocketProvider {
    const provider = new SocketProvider();
    const server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      autoPong: false,
      maxPayload: 64 * 1024 * 1024,
      maxFragments: 1000,
      closeTimeout: 1000,
      handleProtocols: () => false,
    });
    fake.onUpgrade((req, socket, head) => {
      provider.handshakes.push(req.headers);
      const { method = '', headers } = req;
      const names = ['upgrade', 'sec-websocket-key', 'sec-websocket-version'];
      const handshake = Object.fromEntries(names.map((name) => [name, String(headers[name])]));
      server.handleUpgrade({ method, headers: handshake }, socket, head, (opened) => provider.#serve(opened));
    });
    return provider;
  }

  answerWith(answer: Answer): void {
    this.#answer = answer;
  }

  get last(): ProviderMessage {
    const message = this.messages.at(-1);
    if (message === undefined) throw new Error('the provider has received no message');
    return message;
  }

  #serve(webSocket: WebSocket): void {
    this.webSockets.push(webSocket);
    const remembered = new Map<unknown, { readonly id: string; readonly texts: readonly string[] }>();
    webSocket.on('error', () => undefined);
    webSocket.on('message', (data) => {
      const json = parseObject(data.toString()) ?? {};
      const { stream_id, previous_response_id } = json;
      const send = (event: string | object) => {
        const text = typeof event === 'string' ? event : JSON.stringify({ ...event, stream_id });
        this.sent.push(text);
        webSocket.send(text, {});
      };
      const known = [...remembered.values()].find(({ id }) => id === previous_response_id);
      if (typeof previous_response_id === 'string' && known === undefined) {
        send({ type: 'error', status: 400, error: { code: 'previous_response_not_found', message: 'gone' } });
        return;
      }
      const texts = [...(known?.texts ?? []), ...textsIn(json.input)];
      const message: ProviderMessage = {
        json,
        bytes: data.byteLength,
        texts,
        webSocket,
        send,
        answer(text) {
          const events = eventsOf(json, text);
          const { response } = objectOf(events.at(-1)) ?? {};
          remembered.set(stream_id, { id: stringOf(objectOf(response)?.id) ?? '', texts: [...texts, text] });
          for (const event of events) send(event);
        },
      };
      this.messages.push(message);
      this.#answer(message);
    });
  }
}

function countTexts(message: ProviderMessage): void {
  message.answer(`${message.texts.length} messages`);
}

/** The events of an answer. */
function eventsOf(json: object, text: string): readonly object[] {
  const request: Pick<SeenRequest, 'url' | 'json'> = {
    url: '/v1/responses',
    json: { ...json, stream: true },
  };
  const unsent = { method: 'POST', rawHeaders: [], headers: {}, bytes: Buffer.alloc(0) };
  const { chunks = [] } = answering({ ...unsent, ...request, over: Promise.resolve(true) }, { text });
  return chunks.map((chunk) => parseObject(/data: (.*)/.exec(String(chunk))?.[1] ?? '') ?? {});
}

function textsIn(input: unknown): readonly string[] {
  if (typeof input === 'string') return [input];
  return objectsOf(input).map(({ content }) =>
    typeof content === 'string'
      ? content
      : objectsOf(content)
          .map((part) => String(part.text))
          .join(''),
  );
}
