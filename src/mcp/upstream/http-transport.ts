import { setTimeout as wait } from 'node:timers/promises';
import type { EgressFetch } from '../../kernel/ports/fetch.ts';
import { isJsonObject, jsonObjectIn } from '../../lib/json.ts';
import { readEvents } from './event-stream.ts';
import { limits } from './limits.ts';
import { RpcError } from './rpc-error.ts';
import {
  type OutgoingMessage,
  type OutgoingRequest,
  type RpcMessage,
  readError,
  readMessages,
} from './rpc-message.ts';
import { failedError, HttpFailure, unreachableError } from './server-errors.ts';
import type { Exchange, ExchangeOptions, ListenOptions, Transport } from './transport.ts';

/** What proves who makes one request. */
export interface RequestCredential {
  readonly headers: Readonly<Record<string, string>>;
  /** The server has refused it; resolves to whether another one can be had. */
  onRejected(challenge: string | undefined): Promise<boolean>;
}

export interface HttpTransportParts {
  readonly server: string;
  readonly url: string;
  readonly fetch: EgressFetch;
  /** The headers that prove who makes a request. */
  credential(): Promise<RequestCredential>;
}

interface SendOptions {
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly message?: OutgoingMessage;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal: AbortSignal;
  readonly accept: string;
}

/** Streamable HTTP: a POST for each message, whose response is the answer or a stream of events that ends with it. */
export class HttpTransport implements Transport {
  readonly hasRequestStreams = true;
  readonly generation = 0;
  readonly #parts: HttpTransportParts;

  constructor(parts: HttpTransportParts) {
    this.#parts = parts;
  }

  async exchange(request: OutgoingRequest, options: ExchangeOptions): Promise<Exchange> {
    const { server } = this.#parts;
    const { headers, signal } = options;
    const accept = 'application/json, text/event-stream';
    const response = await this.#send({ method: 'POST', message: request, headers, signal, accept });
    const header = (name: string) => response.headers.get(name) ?? undefined;
    const type = mediaTypeOf(response);
    if (type === 'text/event-stream') {
      const message = await this.#answerIn(response, request.id, options);
      return { response: responseOf(server, message), header };
    }
    if (type !== 'application/json' || response.status === 202) {
      await response.body?.cancel();
      throw failedError(
        server,
        `answered a request with HTTP ${response.status} and ${type || 'no content'}`,
      );
    }
    const messages = readMessages(server, await this.#bodyOf(response, limits.messageBytesMax));
    const found = messages.find((message) => isAnswerTo(message, request.id));
    for (const message of messages) report(message, options);
    if (found === undefined) throw failedError(server, 'answered another request than the one it was sent');
    return { response: responseOf(server, found), header };
  }

  async send(
    message: OutgoingMessage,
    { headers, signal }: Omit<ExchangeOptions, 'onMessage'>,
  ): Promise<void> {
    const accept = 'application/json, text/event-stream';
    const response = await this.#send({ method: 'POST', message, headers, signal, accept });
    await response.body?.cancel();
  }

  async listen({ headers, signal, onMessage, onOpen }: ListenOptions): Promise<void> {
    const { server } = this.#parts;
    let response: Response;
    try {
      response = await this.#send({ method: 'GET', headers, signal, accept: 'text/event-stream' });
    } catch (error) {
      // A server without a stream says that the method, or the path, does not exist.
      if (error instanceof HttpFailure && (error.status === 405 || error.status === 404)) return;
      throw error;
    }
    if (mediaTypeOf(response) !== 'text/event-stream' || response.body === null)
      return response.body?.cancel();
    onOpen();
    for await (const { data } of readEvents(server, response.body))
      if (data.byteLength > 0)
        for (const message of readMessages(server, data)) report(message, { onMessage });
  }

  /** Ends the session with these headers. Servers may not allow it. */
  async end(headers: Readonly<Record<string, string>>): Promise<void> {
    const signal = AbortSignal.timeout(limits.farewellMs);
    const response = await this.#send({ method: 'DELETE', headers, signal, accept: '*/*' });
    await response.body?.cancel();
  }

  async close(): Promise<void> {}

  async #send(
    { method, message, headers, signal, accept }: SendOptions,
    isSecond = false,
  ): Promise<Response> {
    const { url, credential } = this.#parts;
    const shown = await credential();
    const response = await this.#parts.fetch(url, {
      method,
      headers: {
        ...shown.headers,
        ...headers,
        accept,
        ...(message !== undefined && { 'content-type': 'application/json' }),
      },
      ...(message !== undefined && { body: JSON.stringify(message) }),
      signal,
      timeoutMs: limits.requestMsMax,
      maxBytes: limits.responseBytesMax,
    });
    if (response.ok) return response;
    const challenge = response.headers.get('www-authenticate') ?? undefined;
    const body = await this.#bodyOf(response, limits.errorBytesMax).catch(() => new Uint8Array(0));
    const isCredential = response.status === 401 || (response.status === 403 && challenge !== undefined);
    if (isCredential && !isSecond && (await shown.onRejected(challenge)))
      return this.#send({ method, headers, signal, accept, ...(message !== undefined && { message }) }, true);
    throw new HttpFailure({ status: response.status, rpc: errorIn(body), challenge });
  }

  /** Reads events until the answer has come. A stream that breaks off is continued if the server lets it. */
  async #answerIn(response: Response, id: number, options: ExchangeOptions): Promise<RpcMessage> {
    const { server } = this.#parts;
    let stream: Response | undefined = response;
    let lastEventId: string | undefined;
    let pauseMs: number = limits.listenPauseMs;
    let count = 0;
    for (let resumes = 0; stream !== undefined; resumes++) {
      try {
        for await (const event of readEvents(server, bodyIn(stream))) {
          lastEventId = event.id ?? lastEventId;
          pauseMs = Math.min(event.retryMs ?? pauseMs, limits.resumeMsMax);
          if (event.data.byteLength === 0) continue;
          for (const message of readMessages(server, event.data)) {
            if (isAnswerTo(message, id)) return message;
            if (++count > limits.responseMessagesMax)
              throw failedError(
                server,
                `sent more than ${limits.responseMessagesMax} messages and no answer`,
              );
            report(message, options);
          }
        }
      } catch (error) {
        if (lastEventId === undefined || !isBrokenStream(error, options.signal)) throw error;
      }
      if (lastEventId === undefined || resumes >= limits.resumesMax) break;
      await wait(pauseMs, undefined, { signal: options.signal });
      stream = await this.#continue(lastEventId, options);
    }
    throw unreachableError(
      server,
      'ended its response before the answer; whether it did what was asked is unknown',
    );
  }

  /** Undefined where the server can't continue a stream. */
  async #continue(lastEventId: string, { headers, signal }: ExchangeOptions): Promise<Response | undefined> {
    const more = { ...headers, 'last-event-id': lastEventId };
    try {
      return await this.#send({ method: 'GET', headers: more, signal, accept: 'text/event-stream' });
    } catch (error) {
      if (error instanceof HttpFailure) return undefined;
      throw error;
    }
  }

  async #bodyOf(response: Response, bytesMax: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    let bytes = 0;
    for await (const part of bodyIn(response)) {
      bytes += part.byteLength;
      if (bytes > bytesMax)
        throw failedError(this.#parts.server, `answered with more than ${bytesMax} bytes`);
      parts.push(part);
    }
    return Buffer.concat(parts);
  }
}

function bodyIn({ body }: Response): AsyncIterable<Uint8Array> {
  return body ?? emptyBody();
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {}

function isAnswerTo(message: RpcMessage, id: number): boolean {
  return (
    (message.kind === 'response' || message.kind === 'failure') && (message.id === id || isUnread(message))
  );
}

/** An error without an id is about the only request there is. */
function isUnread(message: RpcMessage): boolean {
  return message.kind === 'failure' && message.id === null;
}

/** Answers to requests that were never made are dropped. */
function report(message: RpcMessage, { onMessage }: Pick<ExchangeOptions, 'onMessage'>): void {
  if (message.kind === 'request' || message.kind === 'notification') onMessage(message);
}

function responseOf(server: string, message: RpcMessage): Exchange['response'] {
  if (message.kind === 'response') return message;
  if (message.kind === 'failure') throw new RpcError(server, message.error);
  throw failedError(server, 'sent a request instead of an answer');
}

/** Errors of the gateway are about what the server sent; all others are about the connection. */
function isBrokenStream(error: unknown, signal: AbortSignal): boolean {
  return !signal.aborted && error instanceof TypeError;
}

function mediaTypeOf({ headers }: Response): string {
  return (headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

function errorIn(body: Uint8Array): HttpFailure['rpc'] {
  const error = jsonObjectIn(body)?.error;
  return isJsonObject(error) && typeof error.code === 'number' ? readError(error) : undefined;
}
