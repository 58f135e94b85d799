import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import createRouter from 'find-my-way';
import { legalHoldError } from '../../accounts/account-deletion.ts';
import type { Audit, OpenChange } from '../../audit/audit.ts';
import type { AuditFacts, AuditRecord } from '../../audit/facts.ts';
import type { HttpRequest } from '../../http/request.ts';
import type { HttpResponse } from '../../http/response.ts';
import { asksForWebSocket } from '../../http/websocket-handshake.ts';
import { GatewayError } from '../../kernel/errors.ts';
import type { LegalHolds } from '../../kernel/ports/legal-holds.ts';
import type { WireFormat } from '../../kernel/wire-format.ts';
import { headerOf } from '../../lib/headers.ts';
import type { Log } from '../../telemetry/log.ts';
import { acceptsEncoding } from '../accepts-encoding.ts';
import { readBody } from '../body.ts';
import { streamBody } from '../body-stream.ts';
import { limits } from '../limits.ts';
import { parseRequestTarget } from '../request-target.ts';
import {
  asGatewayError,
  type BufferedResponse,
  noSniffHeaders,
  type RequestContext,
  sendError,
  sendResponse,
  writeResponse,
} from '../respond.ts';
import { SlowBodyMonitor } from '../slow-body-monitor.ts';
import { WebSockets } from '../web-sockets.ts';
import type { AccessChecks } from './access.ts';
import type { Dashboard } from './dashboard.ts';
import { type Docs, isDocsPath } from './docs.ts';
import { hintForPath } from './path-hints.ts';
import type { ApiRequest, ApiResponse, ApiRoute, Route, WebSocketRoute } from './route.ts';
import { type ResponseHead, sendStream } from './send-stream.ts';
import { serveWebSocket } from './serve-web-socket.ts';

/** Serves everything outside the data plane: Weir's own routes, and 404 or 405 for the rest. */
export type App = (req: HttpRequest, res: HttpResponse, call: RequestContext) => Promise<void>;

export interface AppParts {
  readonly access: AccessChecks;
  readonly log: Log;
  /** Legal holds, under which nothing that they cover may be deleted. */
  readonly holds?: Pick<LegalHolds, 'of'> | undefined;
  readonly audit?: Pick<Audit, 'record' | 'begin'> | undefined;
  /** Undefined if there are no routes for WebSockets. */
  readonly webSockets?: WebSockets | undefined;
  /** Pages for browsers, served on paths without a route. */
  readonly pages?: Pages | undefined;
}

export interface Pages {
  readonly dashboard: Dashboard | undefined;
  readonly docs: Docs;
}

export function createApp(routes: readonly Route[], appParts: AppParts): App {
  const { access, log, audit, holds, pages, webSockets = new WebSockets() } = appParts;
  const { find, hasPath, wireFormatAt } = createRouteFinder(routes);
  const slowBodies = new SlowBodyMonitor();
  return async (req, res, call) => {
    const { headers } = req;
    let route: ApiRoute | WebSocketRoute | undefined;
    let change: (OpenChange & { readonly record: AuditRecord }) | undefined;
    try {
      const page = pages === undefined ? undefined : await findPage(pages, req, call.path, hasPath);
      if (page !== undefined) {
        sendResponse(res, page, call);
        return;
      }
      const matchedRoute = find(req.method, call.path, asksForWebSocket(req));
      route = matchedRoute.route;
      const { bodyBytesMax: bytesMax = limits.ownBodyBytesMax } = route.kind === 'own' ? route : {};
      const request: ApiRequest = {
        id: call.id,
        method: req.method,
        headers,
        query: call.query,
        parameters: matchedRoute.parameters,
        remoteAddress: call.clientAddress,
        access,
        async announceChange(facts) {
          if (route?.kind !== 'own') return;
          const { account } = facts;
          if (deletesHeldData(route) && account !== undefined && (await holds?.of(account))?.length)
            throw legalHoldError();
          const record = announcedRecord(route, facts);
          if (record === undefined || audit === undefined) return;
          change = { ...(await audit.begin(record)), record };
        },
        readBody: () => readBody(req, { bytesMax }),
        streamBody: (streamBytesMax) => streamBody(req, { bytesMax: streamBytesMax, slowBodies }),
        signal: () => abortSignalOf(res),
      };
      if (route.kind === 'websocket') {
        await serveWebSocket(route, res, { request, context: call, webSockets, log });
        return;
      }
      const answer = await route.handle(request);
      const record = changeRecord(route, answer);
      if (record === undefined) change?.withdraw();
      else {
        const origin = originOf(req, call);
        await (change?.complete({ ...record, ...origin }) ?? audit?.record({ ...record, ...origin }));
      }
      if (answer.stream !== undefined) await sendStream(res, answer.stream, responseHead(answer, call));
      else await sendApiResponse(req, res, answer, call);
    } catch (thrown) {
      // Destroying the connection shows the client that the stream is incomplete; a client that left is not logged.
      if (res.headersSent) {
        if (!res.isClosed) log.error({ id: call.id, err: thrown }, 'a streamed response failed midway');
        res.destroy();
        return;
      }
      const error = asGatewayError(thrown);
      const failure = route?.kind === 'own' ? failureRecord(route, error) : undefined;
      if (failure !== undefined) await audit?.record({ ...failure, ...originOf(req, call) });
      // Something may have been changed before another thing failed.
      if (error.status < 500) change?.withdraw();
      else
        await change?.complete({
          ...change.record,
          ...originOf(req, call),
          ...{ outcome: 'unknown', reason: error.code },
        });
      if (error.code === 'internal') log.error({ id: call.id, err: error.cause }, 'bug');
      sendError(
        res,
        error,
        call,
        route?.kind === 'own' ? route.errorFormat?.(headers) : wireFormatAt(call.path),
      );
    }
  };
}

function originOf({ headers }: HttpRequest, { id, clientAddress: address }: RequestContext): AuditFacts {
  return { id, address, client: headerOf(headers, 'user-agent') };
}

/** An expired session or an invalid body is no failed login. */
const loginFailures: ReadonlySet<string> = new Set([
  'wrong_login',
  'wrong_password',
  'second_factor_required',
  'wrong_second_factor',
  'wrong_passkey',
  'account_disabled',
  'too_many_attempts',
]);

function changeRecord(route: ApiRoute, { audit }: ApiResponse): AuditRecord | undefined {
  if (route.audit === undefined || route.audit === 'none' || audit === 'none') return undefined;
  return { event: route.audit, ...audit };
}

const deletions: ReadonlySet<string> = new Set([
  'account.deleted',
  'account.imported',
  'organization.deletion_scheduled',
]);

/** Contents, or the account itself. Cached answers are copies that expire. */
function deletesHeldData({ method, right, audit }: ApiRoute): boolean {
  return (
    deletions.has(audit ?? 'none') ||
    (method === 'DELETE' && right === 'content:write' && audit !== 'cache.cleared')
  );
}

/** An export is recorded before it is sent, and changes nothing. */
function announcedRecord(
  { audit: event, method, path }: ApiRoute,
  facts: AuditFacts,
): AuditRecord | undefined {
  if (method === 'GET' || event === undefined || event === 'none') return undefined;
  return { event, route: `${method} ${path}`, ...facts };
}

/** Of callers without a credential, only those who tried to be the operator: there is no end of the others. */
function failureRecord(
  route: ApiRoute,
  { code: reason, status, details }: GatewayError,
): AuditRecord | undefined {
  const { failureEvent, access, audit, method, path } = route;
  const { user, refused } = details;
  if (failureEvent !== undefined && loginFailures.has(reason)) return { event: failureEvent, reason, user };
  if (refused === undefined && access !== 'operator') return undefined;
  if (![401, 403].includes(status) || (audit === undefined && access !== 'operator') || audit === 'none')
    return undefined;
  return { event: 'access.refused', attempt: `${method} ${path}`, reason, ...refused };
}

/** Routes take precedence over pages, except at `/`, which serves both. */
function findPage(
  { dashboard, docs }: Pages,
  { method, headers }: HttpRequest,
  path: string,
  hasPath: RouteFinder['hasPath'],
): Promise<BufferedResponse> | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  if (isDocsPath(path)) return docs.page(path, headers);
  return (
    dashboard?.asset(path, headers) ??
    (path === '/' || !hasPath(path) ? dashboard?.page(path, headers) : undefined)
  );
}

interface RouteFinder {
  find(method: string, path: string, asksForWebSocket: boolean): MatchedRoute;
  /** Whether the path has a route for any method. */
  hasPath(path: string): boolean;
  /** The wire format of the inference route at a path, for method errors. */
  wireFormatAt(path: string): WireFormat | undefined;
}

interface MatchedRoute {
  readonly route: ApiRoute | WebSocketRoute;
  readonly parameters: ApiRequest['parameters'];
}

/** Matches the path first and the method second, to tell 404 from 405. */
function createRouteFinder(routes: readonly Route[]): RouteFinder {
  const router = createRouter({ ignoreTrailingSlash: true });
  for (const [path, byMethod] of groupByPath(routes)) router.on('GET', path, () => undefined, byMethod);
  const hasPath = (path: string) => router.find('GET', path) !== null;
  const wireFormatAt = (path: string) => {
    const byMethod: ReadonlyMap<string, Route> | undefined = router.find('GET', path)?.store;
    const route = byMethod?.values().find(({ kind }) => kind === 'inference');
    return route?.kind === 'inference' ? route.wire : undefined;
  };
  const find: RouteFinder['find'] = (method, path, isUpgrade) => {
    const match = router.find('GET', path);
    const byMethod: ReadonlyMap<string, Route> | undefined = match?.store;
    const parameters = match?.params ?? {};
    // PostgreSQL stores no NUL characters, so nothing has such a name.
    if (byMethod === undefined || Object.values(parameters).some((value) => value?.includes('\0')))
      throw new GatewayError(
        'not_found',
        `no such route: ${method} ${path.slice(0, 200)}; ${hintForPath(path) ?? 'GET /openapi.json lists all routes'}`,
      );
    const route = byMethod.get(method === 'HEAD' ? 'GET' : method);
    const forWebSockets = method === 'GET' ? byMethod.get(webSocketKey) : undefined;
    if (forWebSockets?.kind === 'websocket' && (isUpgrade || route === undefined))
      return { route: forWebSockets, parameters };
    if (route?.kind === 'own') return { route, parameters };
    const allowed = [...new Set(byMethod.values().map((other) => other.method))].join(', ');
    throw new GatewayError('method_not_allowed', `method not allowed; this path accepts ${allowed}`, {
      headers: ['allow', allowed],
    });
  };
  return { find, hasPath, wireFormatAt };
}

/** A path may have a GET route beside the one for WebSockets. */
const webSocketKey = 'WebSocket';

/** Whether the path of a target has a route for WebSockets; undefined if no path has. */
export function webSocketPaths(routes: readonly Route[]): ((target: string) => boolean) | undefined {
  const router = createRouter({ ignoreTrailingSlash: true });
  const served = routes.filter(({ kind }) => kind === 'websocket');
  for (const { path } of served) router.on('GET', path, () => undefined);
  return served.length === 0
    ? undefined
    : (target) => router.find('GET', parseRequestTarget(target).path) !== null;
}

function groupByPath(routes: readonly Route[]): ReadonlyMap<string, ReadonlyMap<string, Route>> {
  const paths = new Map<string, Map<string, Route>>();
  for (const route of routes) {
    // The data plane matches paths with a wildcard in the middle.
    if (/\*[^\w]/.test(route.path)) continue;
    // A wildcard's name is only for the OpenAPI description.
    const path = route.path.replace(/\*\w+$/, '*');
    const methods = paths.get(path) ?? new Map<string, Route>();
    paths.set(path, methods.set(route.kind === 'websocket' ? webSocketKey : route.method, route));
  }
  return paths;
}

function abortSignalOf(res: HttpResponse): AbortSignal {
  const controller = new AbortController();
  res.onAbort(() => controller.abort());
  return controller.signal;
}

async function sendApiResponse(
  req: HttpRequest,
  res: HttpResponse,
  answer: ApiResponse,
  requestContext: RequestContext,
): Promise<void> {
  const { body = '' } = answer;
  const plain = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const { status, headers } = responseHead(answer, requestContext);
  const compressed = isCompressible(req, answer, plain) ? await compress(plain) : undefined;
  const bytes = compressed ?? plain;
  const encoding = compressed === undefined ? [] : ['content-encoding', 'gzip', 'vary', 'accept-encoding'];
  // A 204 response has neither content-type nor content-length (RFC 9110, 8.6).
  const length = status === 204 ? [] : ['content-length', String(bytes.byteLength)];
  // The HTTP server omits the body for HEAD.
  writeResponse(res, { status, headers: [...length, ...encoding, ...headers], bytes });
}

const compress = promisify(gzip);

/** Only what is read: a response to a change may have a secret, and its compressed length would tell of it. */
function isCompressible({ method, headers }: HttpRequest, answer: ApiResponse, bytes: Uint8Array): boolean {
  if (method !== 'GET' || typeof answer.body !== 'object') return false;
  if (bytes.byteLength < limits.compressedBytesMin) return false;
  return acceptsEncoding(headers, 'gzip');
}

function responseHead(answer: ApiResponse, requestContext: RequestContext): ResponseHead {
  const { body = '', status = 200, stream, headers = [] } = answer;
  const bodyType = typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8';
  const type = answer.contentType ?? (stream === undefined ? bodyType : 'application/octet-stream');
  // Responses are private unless the route sets its own caching.
  const caching = headers.includes('cache-control') ? [] : ['cache-control', 'no-store'];
  return {
    status,
    headers: [
      ...(status === 204 ? [] : ['content-type', type]),
      ...noSniffHeaders,
      'x-request-id',
      requestContext.id,
      ...requestContext.cors,
      ...caching,
      ...headers,
    ],
  };
}
