import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { isJsonObject } from '../lib/json.ts';

/** The fake provider's response to one request. */
export interface Script {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** An object is sent as JSON. */
  readonly body?: string | Uint8Array | object;
  /** Written one by one in place of `body`; a number is a pause in milliseconds. */
  readonly chunks?: readonly (string | Uint8Array | number)[];
  /** How the response ends: normally, with a closed connection, or not at all. */
  readonly ending?: 'end' | 'cut' | 'hang';
  /** The delay before the status line. */
  readonly delayMs?: number;
}

export interface SeenRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** In their original order and case. */
  readonly rawHeaders: readonly string[];
  readonly headers: IncomingMessage['headers'];
  readonly bytes: Buffer;
  /** The body as JSON, or an empty object. */
  readonly json: Readonly<Record<string, unknown>>;
  /** Resolves to true when the whole response was sent, and to false if the connection was closed before. */
  readonly over: Promise<boolean>;
}

type ScriptedAnswer = Script | ((request: SeenRequest) => Script | Promise<Script>);

type UpgradeListener = (req: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** A fake provider: an HTTP server that sends scripted responses. */
export class FakeUpstream {
  readonly requests: SeenRequest[] = [];
  readonly #server: Server;
  readonly #upgraded = new Set<Duplex>();
  #answer: ScriptedAnswer;
  #upgrade: UpgradeListener | undefined;

  private constructor(scriptedAnswer: ScriptedAnswer) {
    this.#answer = scriptedAnswer;
    // No idle timeout: on a busy machine it could close a connection that is just being used.
    this.#server = createServer({ keepAliveTimeout: 0 }, (req, res) => void this.#serve(req, res));
    this.#server.on('upgrade', (req: IncomingMessage, socket: Duplex, head: Buffer) => {
      this.#upgraded.add(
        socket.on('close', () => this.#upgraded.delete(socket)).on('error', () => undefined),
      );
      if (this.#upgrade === undefined)
        socket.end('HTTP/1.1 426 Upgrade Required\r\ncontent-length: 0\r\n\r\n');
      else this.#upgrade(req, socket, head);
    });
  }

  static async start(scriptedAnswer: ScriptedAnswer = { body: {} }): Promise<FakeUpstream> {
    const fake = new FakeUpstream(scriptedAnswer);
    fake.#server.listen(0, '127.0.0.1');
    await once(fake.#server, 'listening');
    return fake;
  }

  get url(): string {
    const address = this.#server.address();
    if (typeof address !== 'object' || address === null)
      throw new Error('the fake upstream is not listening');
    return `http://127.0.0.1:${address.port}`;
  }

  /** The latest request. */
  get last(): SeenRequest {
    const request = this.requests.at(-1);
    if (request === undefined) throw new Error('the fake upstream has received no request');
    return request;
  }

  answerWith(scriptedAnswer: ScriptedAnswer): void {
    this.#answer = scriptedAnswer;
  }

  /** Takes over the connections of upgrade requests, which are refused otherwise. */
  onUpgrade(upgradeListener: UpgradeListener | undefined): void {
    this.#upgrade = upgradeListener;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    for (const socket of this.#upgraded) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const over = new Promise<boolean>((resolve) => res.on('close', () => resolve(res.writableFinished)));
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const { method = '', url = '', headers, rawHeaders } = req;
    const json = parseJsonObject(bytes);
    const request: SeenRequest = { method, url, headers, rawHeaders, bytes, json, over };
    this.requests.push(request);
    const script = typeof this.#answer === 'function' ? await this.#answer(request) : this.#answer;
    await playScript(res, script);
  }
}

async function playScript(res: ServerResponse, script: Script): Promise<void> {
  if (script.delayMs !== undefined) await sleep(script.delayMs);
  const streamed = script.chunks !== undefined;
  const type = streamed ? 'text/event-stream; charset=utf-8' : 'application/json';
  res.writeHead(script.status ?? 200, { 'content-type': type, ...flatten(script.headers) });
  res.flushHeaders();
  for (const step of script.chunks ?? [bodyOf(script.body)]) {
    if (res.destroyed) return;
    if (typeof step === 'number') await sleep(step);
    else if (!res.write(step)) await Promise.race([once(res, 'drain'), once(res, 'close')]);
  }
  // Everything that was written before must be sent before the connection is closed.
  if (script.ending === 'cut') res.write('', () => res.destroy());
  else if (script.ending !== 'hang') res.end();
}

function flatten(headers: Script['headers']): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers ?? {}).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : [...value],
    ]),
  );
}

function bodyOf(body: Script['body']): string | Uint8Array {
  if (body === undefined) return '{}';
  return typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
}

function parseJsonObject(bytes: Buffer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
