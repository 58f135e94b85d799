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
  type BufferedResponse,
  noSniffHeaders,
  type RequestContext,
  sendError,
  sendResponse,
  writeResponse,
} from '../respond.ts';
import type { AccessChecks } from './access.ts';
import type { Dashboard } from './dashboard.ts';
import { type Docs, isDocsPath } from './docs.ts';
import { hintForPath } from './path-hints.ts';
import type { ApiRequest, ApiResponse, ApiRoute, Route } from './route.ts';

/** Answers everything but the data plane: our own routes, and the errors of the contract for what matches none. */
export type App = (req: HttpRequest, res: HttpResponse, call: AppRequestContext) => Promise<void>;

interface AppRequestContext extends RequestContext {
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
  const { find, hasPath, wireFormatAt } = createRouteFinder(routes);
  return async (req, res, call) => {
    const { headers } = req;
    let route: ApiRoute | undefined;
    try {
      const shown = pages === undefined ? undefined : await findPage(pages, req, call.path, hasPath);
      if (shown !== undefined) {
        sendResponse(res, shown, call);
        return;
      }
      const matchedRoute = find(req.method, call.path);
      route = matchedRoute.route;
      const { bodyBytesMax: bytesMax = limits.ownBodyBytesMax } = route;
      const answer = await route.handle({
        id: call.id,
        method: req.method,
        headers,
        query: call.query,
        parameters: matchedRoute.parameters,
        remoteAddress: call.clientAddress,
        access,
        readBody: () => readBody(req, { bytesMax }),
      });
      if (answer.gzippedLines !== undefined && req.method !== 'HEAD') await sendArchive(res, answer, call);
      else sendApiResponse(res, answer, call);
    } catch (thrown) {
      // The client sees that it is cut off; one that has left is no event of ours.
      if (res.headersSent) {
        if (!res.isClosed) log.error({ id: call.id, err: thrown }, 'an archive was cut off');
        res.destroy();
        return;
      }
      const error = asGatewayError(thrown);
      if (error.code === 'internal') log.error({ id: call.id, err: error.cause }, 'bug');
      sendError(
        res,
        error,
        call,
        route === undefined ? wireFormatAt(call.path) : route.errorFormat?.(headers),
      );
    }
  };
}

/** Routes come first; the root is both, by what is asked for. */
function findPage(
  { dashboard, docs }: Pages,
  { method, headers }: HttpRequest,
  path: string,
  knows: RouteFinder['hasPath'],
): Promise<BufferedResponse> | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  if (isDocsPath(path)) return docs.page(path, headers);
  return (
    dashboard?.asset(path, headers) ??
    (path === '/' || !knows(path) ? dashboard?.page(path, headers) : undefined)
  );
}

interface RouteFinder {
  find(method: string, path: string): MatchedRoute;
  /** Whether there is a route, whatever its method. */
  hasPath(path: string): boolean;
  /** The format of an inference route, for a method that it doesn't take. */
  wireFormatAt(path: string): WireFormat | undefined;
}

interface MatchedRoute {
  readonly route: ApiRoute;
  readonly parameters: ApiRequest['parameters'];
}

/** Looks a route up by its path, and only then by its method, so that the two refusals can be told apart. */
function createRouteFinder(routes: readonly Route[]): RouteFinder {
  const router = createRouter({ ignoreTrailingSlash: true });
  for (const [path, byMethod] of groupByPath(routes)) router.on('GET', path, () => undefined, byMethod);
  const hasPath = (path: string) => router.find('GET', path) !== null;
  const wireFormatAt = (path: string) => {
    const byMethod: ReadonlyMap<string, Route> | undefined = router.find('GET', path)?.store;
    const route = byMethod?.get('POST');
    return route?.kind === 'inference' ? route.wire : undefined;
  };
  const find = (method: string, path: string): MatchedRoute => {
    const found = router.find('GET', path);
    const byMethod: ReadonlyMap<string, Route> | undefined = found?.store;
    if (byMethod === undefined)
      throw new GatewayError(
        'not_found',
        `there is no ${method} ${path.slice(0, 200)}; ${hintForPath(path) ?? 'GET /openapi.json lists what there is'}`,
      );
    const route = byMethod.get(method === 'HEAD' ? 'GET' : method);
    if (route?.kind === 'own') return { route, parameters: found?.params ?? {} };
    const allowed = [...byMethod.keys()].join(', ');
    throw new GatewayError('method_not_allowed', `this path takes ${allowed}`, {
      headers: ['allow', allowed],
    });
  };
  return { find, hasPath, wireFormatAt };
}

function groupByPath(routes: readonly Route[]): ReadonlyMap<string, ReadonlyMap<string, Route>> {
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
async function sendArchive(
  res: HttpResponse,
  answer: ApiResponse,
  requestContext: RequestContext,
): Promise<void> {
  const { gzippedLines = [], headers = [] } = answer;
  const type = ['content-type', 'application/gzip'];
  res.writeHead(answer.status ?? 200, [
    ...type,
    ...noSniffHeaders,
    'x-request-id',
    requestContext.id,
    ...requestContext.cors,
    ...headers,
  ]);
  await pipeline(gzippedLines, createGzip(), (packed: AsyncIterable<Uint8Array>) => writeAll(res, packed));
}

async function writeAll(res: HttpResponse, packed: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const piece of packed) {
    if (!res.write(piece)) await res.waitForDrain();
    if (res.isClosed) return;
  }
  res.end();
}

function sendApiResponse(res: HttpResponse, answer: ApiResponse, requestContext: RequestContext): void {
  const { body = '', status = 200 } = answer;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const type =
    answer.contentType ??
    (typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8');
  const bytes = Buffer.from(text);
  // An answer without content has neither a type nor a length (RFC 9110, 8.6).
  const content = status === 204 ? [] : ['content-type', type, 'content-length', String(bytes.byteLength)];
  const { headers: said = [] } = answer;
  // What was told to one person stays on no disk and in no cache, unless the route says otherwise.
  const kept = said.includes('cache-control') ? [] : ['cache-control', 'no-store'];
  const headers = [
    ...content,
    ...noSniffHeaders,
    'x-request-id',
    requestContext.id,
    ...requestContext.cors,
    ...kept,
    ...said,
  ];
  // The server itself leaves the body out for HEAD.
  writeResponse(res, { status, headers, bytes });
}
