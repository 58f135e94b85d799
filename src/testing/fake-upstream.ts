import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { isJsonObject } from '../lib/json.ts';

/** What the fake says to one request. */
export interface Script {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** An object is sent as JSON. */
  readonly body?: string | Uint8Array | object;
  /** Instead of `body`: written one by one; a number waits that many milliseconds. */
  readonly chunks?: readonly (string | Uint8Array | number)[];
  /** How it ends: properly, by a cut connection, or not at all. */
  readonly ending?: 'end' | 'cut' | 'hang';
  /** Waits before the status line. */
  readonly delayMs?: number;
}

export interface SeenRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** In the order and case in which they came. */
  readonly rawHeaders: readonly string[];
  readonly headers: IncomingMessage['headers'];
  readonly bytes: Buffer;
  /** The body as JSON, or an empty object. */
  readonly json: Readonly<Record<string, unknown>>;
  /** Resolves when the answer was sent to its end (`true`) or the connection was closed before (`false`). */
  readonly over: Promise<boolean>;
}

type ScriptedAnswer = Script | ((request: SeenRequest) => Script | Promise<Script>);

/** A provider to test against: a real HTTP server that says what it is told to. */
export class FakeUpstream {
  readonly requests: SeenRequest[] = [];
  readonly #server: Server;
  #answer: ScriptedAnswer;

  private constructor(scriptedAnswer: ScriptedAnswer) {
    this.#answer = scriptedAnswer;
    // It ends no connection for being idle: on a busy machine it may just be in use.
    this.#server = createServer({ keepAliveTimeout: 0 }, (req, res) => void this.#serve(req, res));
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

  /** The request that came last. */
  get last(): SeenRequest {
    const seen = this.requests.at(-1);
    if (seen === undefined) throw new Error('no request has come yet');
    return seen;
  }

  answerWith(scriptedAnswer: ScriptedAnswer): void {
    this.#answer = scriptedAnswer;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const over = new Promise<boolean>((resolve) => res.on('close', () => resolve(res.writableFinished)));
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const { method = '', url = '', headers, rawHeaders } = req;
    const seen: SeenRequest = { method, url, headers, rawHeaders, bytes, json: parseJsonObject(bytes), over };
    this.requests.push(seen);
    const script = typeof this.#answer === 'function' ? await this.#answer(seen) : this.#answer;
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
  // Writing is not sending: what was said before the cut must have left.
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
