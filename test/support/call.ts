import {
  type Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
} from 'node:http';
import { isJsonObject, type JsonObject } from '../../src/lib/json.ts';

/** A request as it stands on the wire: only a host, a content type and a length are added where there is none. */
export interface RawRequest {
  readonly method?: string;
  readonly path: string;
  /** Names and values in turn. */
  readonly headers?: readonly string[];
  /** An object is sent as JSON. */
  readonly body?: string | Uint8Array | object;
  /** Whose connection it takes; one of its own unless said otherwise. */
  readonly agent?: Agent | false;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** As they came, duplicates apart. */
  readonly rawHeaders: readonly string[];
  readonly bytes: Buffer;
  readonly text: string;
  /** The body as JSON, or an empty object. */
  readonly json: JsonObject;
}

/** Sends a request and reads the whole answer. */
export async function call(url: string, sent: RawRequest): Promise<RawAnswer> {
  const opened = openCall(url, sent);
  return readAnswer(await opened.response);
}

export interface OpenCall {
  readonly request: ClientRequest;
  /** Resolves when the status line and the headers are there. */
  readonly response: Promise<IncomingMessage>;
}

/** Sends a request and leaves the reading, or the leaving, to the caller. */
export function openCall(url: string, sent: RawRequest): OpenCall {
  const { request, response } = startCall(url, sent);
  request.end(bytesOf(sent.body));
  return { request, response };
}

/** Sends the headers of a request; its body is the caller's to write. */
export function startCall(
  url: string,
  { method, path, headers = [], body, agent = false }: RawRequest,
): OpenCall {
  const { hostname, port, host } = new URL(url);
  const sending = request({
    hostname,
    port,
    path,
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    agent,
    headers: completed(headers, host, bytesOf(body)),
  });
  const { promise: response, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  sending
    .on('response', resolve)
    .on('error', reject)
    .on('close', () => reject(new Error(`the connection closed without an answer to ${path}`)));
  // Whoever doesn't wait for the answer isn't told that there was none.
  response.catch(() => undefined);
  return { request: sending, response };
}

export async function readAnswer(response: IncomingMessage): Promise<RawAnswer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const { statusCode = 0, headers, rawHeaders } = response;
  const text = bytes.toString('utf8');
  return { status: statusCode, headers, rawHeaders, bytes, text, json: parsed(text) };
}

/** Sends a request and reads an answer up to where its connection breaks. */
export async function brokenCall(
  url: string,
  sent: RawRequest,
): Promise<Pick<RawAnswer, 'status' | 'headers' | 'text'>> {
  const reader = new StreamReader(await openCall(url, sent).response);
  const { response } = reader;
  await reader.closed;
  if (response.complete) throw new Error(`the answer is complete: ${reader.text}`);
  return { status: response.statusCode ?? 0, headers: response.headers, text: reader.text };
}

/** A client that keeps what has come so far at hand. */
export class StreamReader {
  readonly response: IncomingMessage;
  text = '';
  ended = false;
  /** Resolves when the answer is over or its connection is broken. */
  readonly closed: Promise<void>;

  constructor(response: IncomingMessage) {
    this.response = response;
    response.setEncoding('utf8');
    response.on('data', (piece: string) => {
      this.text += piece;
    });
    response.on('end', () => {
      this.ended = true;
    });
    // A broken connection is an error before it is closed.
    response.on('error', () => undefined);
    this.closed = new Promise((resolve) => response.once('close', resolve));
  }
}

function completed(headers: readonly string[], host: string, body: Uint8Array | undefined): string[] {
  const names = new Set(headers.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase()));
  const added: string[] = names.has('host') ? [] : ['host', host];
  if (body !== undefined && !names.has('content-type')) added.push('content-type', 'application/json');
  if (body !== undefined && !names.has('content-length') && !names.has('transfer-encoding'))
    added.push('content-length', String(body.byteLength));
  return [...added, ...headers];
}

function bytesOf(body: RawRequest['body']): Uint8Array | undefined {
  if (body === undefined || body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

function parsed(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
