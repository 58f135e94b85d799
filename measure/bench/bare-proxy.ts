import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http';
import { parseArgs } from 'node:util';
import { type Dispatcher, Pool } from 'undici';
import { listen } from './listen.ts';

/** The least a proxy can do on this runtime: what the gateway's CPU time is compared with. */
const { values } = parseArgs({ options: { upstream: { type: 'string', default: '' } } });
const pool = new Pool(values.upstream);
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => relay(request, response, joined(chunks)));
});
process.send?.({ kind: 'ready', port: await listen(server) });

function relay(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
  const call = {
    path: request.url ?? '/',
    method: request.method ?? 'GET',
    headers: forwarded(request.rawHeaders),
    body,
  };
  pool.dispatch(call, relayHandler(response));
}

function relayHandler(response: ServerResponse): Dispatcher.DispatchHandler {
  return {
    onRequestStart(controller) {
      response.once('close', () => {
        if (!response.writableFinished) controller.abort(new Error('the client left'));
      });
    },
    onResponseStart(_controller, status, headers) {
      response.writeHead(status, returned(headers));
    },
    onResponseData(controller, chunk) {
      if (response.write(chunk)) return;
      controller.pause();
      response.once('drain', () => controller.resume());
    },
    onResponseEnd() {
      response.end();
    },
    onResponseError() {
      if (response.headersSent) response.destroy();
      else response.writeHead(502).end();
    },
  };
}

/** A small body comes in one chunk and needs no copy. */
function joined(chunks: readonly Buffer[]): Buffer {
  const [only] = chunks;
  return only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks);
}

/** Copied, because deleting from an object turns it into a slow one. */
function returned(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const kept: OutgoingHttpHeaders = {};
  for (const name in headers) {
    if (!hopByHop.has(name)) kept[name] = headers[name];
  }
  return kept;
}

/** The new connection has its own host and its own length. */
function forwarded(rawHeaders: readonly string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const lower = name.toLowerCase();
    if (hopByHop.has(lower) || lower === 'host' || lower === 'content-length') continue;
    kept.push(name, rawHeaders[index + 1] ?? '');
  }
  return kept;
}
