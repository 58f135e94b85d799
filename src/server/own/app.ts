import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import createRouter from 'find-my-way';
import type { HttpRequest } from '../../http/request.ts';
import type { HttpResponse } from '../../http/response.ts';
import { GatewayError } from '../../kernel/errors.ts';
import { limits } from '../../kernel/limits.ts';
import type { WireFormat } from '../../kernel/wire-format.ts';
import type { Log } from '../../telemetry/log.ts';
import { readBody } from '../body.ts';
import {
  asGatewayError,
  type Call,
  noSniffing,
  send,
  sendError,
  sendWhole,
  type WholeAnswer,
} from '../respond.ts';
import type { AccessChecks } from './access.ts';
import type { Dashboard } from './dashboard.ts';
import { type Docs, isInDocs } from './docs.ts';
import { insteadOf } from './other-paths.ts';
import type { OwnAnswer, OwnRequest, OwnRoute, Route } from './route.ts';

/** Answers everything but the data plane: our own routes, and the errors of the contract for what matches none. */
export type App = (req: HttpRequest, res: HttpResponse, call: AppCall) => Promise<void>;

interface AppCall extends Call {
  /** Of the client, as far as proxies in between are believed. */
  readonly clientAddress: string;
}

export interface AppParts {
  /** Who may call the routes that ask for it. */
  readonly access: AccessChecks;
  readonly log: Log;
  /** For browsers, where no route is meant. */
  readonly pages?: Pages | undefined;
}

export interface Pages {
  readonly dashboard: Dashboard | undefined;
  readonly docs: Docs;
}

export function createApp(routes: readonly Route[], { access, log, pages }: AppParts): App {
  const { find, knows, wireAt } = createFinder(routes);
  return async (req, res, call) => {
    const { headers } = req;
    let route: OwnRoute | undefined;
    try {
      const shown = pages === undefined ? undefined : await shownBy(pages, req, call.path, knows);
      if (shown !== undefined) {
        sendWhole(res, shown, call);
        return;
      }
      const found = find(req.method, call.path);
      route = found.route;
      const { bodyBytesMax: bytesMax = limits.ownBodyBytesMax } = route;
      const answer = await route.handle({
        id: call.id,
        method: req.method,
        headers,
        query: call.query,
        parameters: found.parameters,
        remoteAddress: call.clientAddress,
        access,
        readBody: () => readBody(req, { bytesMax }),
      });
      if (answer.archive !== undefined && req.method !== 'HEAD') await sendArchive(res, answer, call);
      else sendAnswer(res, answer, call);
    } catch (thrown) {
      // The client sees that it is cut off; one that has left is no event of ours.
      if (res.headersSent) {
        if (!res.isOver) log.error({ id: call.id, err: thrown }, 'an archive was cut off');
        res.destroy();
        return;
      }
      const error = asGatewayError(thrown);
      if (error.code === 'internal') log.error({ id: call.id, err: error.cause }, 'bug');
      sendError(res, error, call, route === undefined ? wireAt(call.path) : route.dialect?.(headers));
    }
  };
}

/** Routes come first; the root is both, by what is asked for. */
function shownBy(
  { dashboard, docs }: Pages,
  { method, headers }: HttpRequest,
  path: string,
  knows: Finder['knows'],
): Promise<WholeAnswer> | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  if (isInDocs(path)) return docs.page(path, headers);
  return (
    dashboard?.asset(path, headers) ??
    (path === '/' || !knows(path) ? dashboard?.page(path, headers) : undefined)
  );
}

interface Finder {
  find(method: string, path: string): Found;
  /** Whether there is a route, whatever its method. */
  knows(path: string): boolean;
  /** The format of an inference route, for a method that it doesn't take. */
  wireAt(path: string): WireFormat | undefined;
}

interface Found {
  readonly route: OwnRoute;
  readonly parameters: OwnRequest['parameters'];
}

/** Looks a route up by its path, and only then by its method, so that the two refusals can be told apart. */
function createFinder(routes: readonly Route[]): Finder {
  const router = createRouter({ ignoreTrailingSlash: true });
  for (const [path, byMethod] of byPath(routes)) router.on('GET', path, () => undefined, byMethod);
  const knows = (path: string) => router.find('GET', path) !== null;
  const wireAt = (path: string) => {
    const byMethod: ReadonlyMap<string, Route> | undefined = router.find('GET', path)?.store;
    const route = byMethod?.get('POST');
    return route?.kind === 'inference' ? route.wire : undefined;
  };
  const find = (method: string, path: string): Found => {
    const found = router.find('GET', path);
    const byMethod: ReadonlyMap<string, Route> | undefined = found?.store;
    if (byMethod === undefined)
      throw new GatewayError(
        'not_found',
        `there is no ${method} ${path.slice(0, 200)}; ${insteadOf(path) ?? 'GET /openapi.json lists what there is'}`,
      );
    const route = byMethod.get(method === 'HEAD' ? 'GET' : method);
    if (route?.kind === 'own') return { route, parameters: found?.params ?? {} };
    const allowed = [...byMethod.keys()].join(', ');
    throw new GatewayError('method_not_allowed', `this path takes ${allowed}`, {
      headers: ['allow', allowed],
    });
  };
  return { find, knows, wireAt };
}

function byPath(routes: readonly Route[]): ReadonlyMap<string, ReadonlyMap<string, Route>> {
  const paths = new Map<string, Map<string, Route>>();
  for (const route of routes) {
    // A part in the middle that a format reads by itself is the data plane's to find.
    if (/\*[^\w]/.test(route.path)) continue;
    // What a rest is called is for readers of the description.
    const path = route.path.replace(/\*\w+$/, '*');
    const methods = paths.get(path) ?? new Map<string, Route>();
    paths.set(path, methods.set(route.method, route));
  }
  return paths;
}

/** At the pace of whoever reads it. */
async function sendArchive(res: HttpResponse, answer: OwnAnswer, call: Call): Promise<void> {
  const { archive = [], headers = [] } = answer;
  const type = ['content-type', 'application/gzip'];
  res.writeHead(answer.status ?? 200, [
    ...type,
    ...noSniffing,
    'x-request-id',
    call.id,
    ...call.cors,
    ...headers,
  ]);
  await pipeline(archive, createGzip(), (packed: AsyncIterable<Uint8Array>) => sendAll(res, packed));
}

async function sendAll(res: HttpResponse, packed: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const piece of packed) {
    if (!res.write(piece)) await res.drained();
    if (res.isOver) return;
  }
  res.end();
}

function sendAnswer(res: HttpResponse, answer: OwnAnswer, call: Call): void {
  const { body = '', status = 200 } = answer;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const type =
    answer.type ??
    (typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8');
  const bytes = Buffer.from(text);
  // An answer without content has neither a type nor a length (RFC 9110, 8.6).
  const content = status === 204 ? [] : ['content-type', type, 'content-length', String(bytes.byteLength)];
  const { headers: said = [] } = answer;
  // What was told to one person stays on no disk and in no cache, unless the route says otherwise.
  const kept = said.includes('cache-control') ? [] : ['cache-control', 'no-store'];
  const headers = [...content, ...noSniffing, 'x-request-id', call.id, ...call.cors, ...kept, ...said];
  // The server itself leaves the body out for HEAD.
  send(res, { status, headers, bytes });
}
