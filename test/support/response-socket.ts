import type { TestContext } from 'node:test';
import OpenAI from 'openai';
import type { ResponsesClientEvent, ResponsesServerEvent } from 'openai/resources/responses/responses';
import { ResponsesWS } from 'openai/resources/responses/ws';
import { objectOf, objectsOf, stringOf } from '../../src/wire/json-values.ts';
import { cleanUp } from './clean-up.ts';
import { eventually } from './eventually.ts';

/** Codex adds metadata of its own. */
type CreateFields = Omit<ResponsesClientEvent.ResponseCreate, 'type'> & { readonly client_metadata?: object };

/** The answer to one `response.create`. */
export interface SocketAnswer {
  readonly id: string;
  readonly text: string;
  readonly events: readonly ResponsesServerEvent[];
  /** The error in place of an answer, or at its end. */
  readonly error: Readonly<Record<string, unknown>> | undefined;
}

/** OpenAI's own client for Responses over WebSocket. */
export class ResponseSocket {
  readonly sdk: ResponsesWS;
  readonly events: ResponsesServerEvent[] = [];
  readonly closed: Promise<number>;

  static async open(
    t: TestContext,
    url: string,
    { key = 'any', headers = {} }: { readonly key?: string; readonly headers?: Record<string, string> } = {},
  ): Promise<ResponseSocket> {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
    const socket = new ResponseSocket(new ResponsesWS(client, { headers }));
    cleanUp(t, () => socket.sdk.close());
    await socket.#opened;
    return socket;
  }

  readonly #opened: Promise<void>;

  private constructor(sdk: ResponsesWS) {
    this.sdk = sdk;
    sdk.on('event', (event) => this.events.push(event));
    const opened = Promise.withResolvers<void>();
    this.#opened = opened.promise;
    sdk.on('error', (error) => opened.reject(error.cause ?? error));
    sdk.socket.on('open', () => opened.resolve());
    this.closed = new Promise((resolve) => sdk.on('close', (code) => resolve(code)));
  }

  send(fields: CreateFields): void {
    this.sdk.send({ type: 'response.create', ...fields });
  }

  /** Sends a call and reads its answer, while nothing else happens in its lane. */
  async create(fields: CreateFields): Promise<SocketAnswer> {
    const from = this.events.length;
    this.send(fields);
    return this.answer(fields.stream_id, from);
  }

  /** The next answer of a lane. */
  answer(lane?: string, from = 0): Promise<SocketAnswer> {
    return eventually(() => {
      const events = this.events
        .slice(from)
        .filter((event) => ('stream_id' in event ? event.stream_id === lane : lane === undefined));
      const end = events.findIndex(({ type }) => type !== undefined && endings.has(type));
      return end < 0 ? undefined : readAnswer(events.slice(0, end + 1));
    });
  }
}

const endings: ReadonlySet<string> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
  'error',
]);

function readAnswer(events: readonly ResponsesServerEvent[]): SocketAnswer {
  const last: Readonly<Record<string, unknown>> = { ...events.at(-1) };
  const response = objectOf(last.response);
  const parts = objectsOf(response?.output).flatMap(({ content }) => objectsOf(content));
  return {
    id: stringOf(response?.id) ?? '',
    text: parts.map(({ text }) => stringOf(text) ?? '').join(''),
    events,
    error: last.type === 'error' ? last : undefined,
  };
}
