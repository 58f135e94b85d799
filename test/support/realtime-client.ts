import { once } from 'node:events';
import { connect } from 'node:net';
import type { TestContext } from 'node:test';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import type { JsonObject } from '../../src/lib/json.ts';
import { parseObject } from '../../src/wire/json-values.ts';
import { eventually } from './eventually.ts';

interface RealtimeOptions {
  readonly model?: string;
  readonly apiKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** OpenAI's own client, on a WebSocket to a gateway without TLS. */
export class RealtimeClient {
  readonly sdk: OpenAIRealtimeWS;
  readonly events: JsonObject[] = [];
  readonly frames: { readonly data: Buffer; readonly isBinary: boolean }[] = [];
  readonly errors: Error[] = [];
  closed: { readonly code: number; readonly reason: string } | undefined;

  constructor(url: string, { model = 'gpt-realtime', apiKey = 'any', headers = {} }: RealtimeOptions = {}) {
    const client = new OpenAI({ apiKey, baseURL: `${url}/v1` });
    const port = Number(new URL(url).port);
    // The client insists on wss.
    const createConnection = () => connect(port, '127.0.0.1');
    this.sdk = new OpenAIRealtimeWS({ model, options: { createConnection, headers } }, client);
    this.sdk.on('error', (error) => this.errors.push(error));
    const socket = this.sdk.socket;
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      this.frames.push({ data, isBinary });
      this.events.push(parseObject(data.toString()) ?? {});
    });
    socket.on('close', (code: number, reason: Buffer) => {
      this.closed = { code, reason: reason.toString() };
    });
  }

  static async open(t: TestContext, url: string, options?: RealtimeOptions): Promise<RealtimeClient> {
    const client = new RealtimeClient(url, options);
    t.after(() => client.sdk.socket.terminate());
    await once(client.sdk.socket, 'open');
    return client;
  }

  /** Waits for an event of this type. */
  event(type: string, count = 1): Promise<JsonObject> {
    return eventually(() => this.events.filter((event) => event.type === type)[count - 1]);
  }

  ending(): Promise<{ readonly code: number; readonly reason: string }> {
    return eventually(() => this.closed);
  }

  /** Asks for a response and waits for its end. */
  async respond(): Promise<JsonObject> {
    const before = this.events.filter(({ type }) => type === 'response.done').length;
    this.sdk.send({ type: 'response.create' });
    return this.event('response.done', before + 1);
  }
}
