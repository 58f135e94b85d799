import type { HttpRequest } from '../http/request.ts';
import { type HttpImplementation, HttpServer, type RequestHandlers } from '../http/server.ts';
import { GatewayError } from '../kernel/errors.ts';
import { createRequestIds } from '../kernel/request-ids.ts';
import type { Clock } from '../lib/clock.ts';
import type { App } from './api/app.ts';
import type { DataPlaneRouter } from './data-plane.ts';
import { limits } from './limits.ts';
import { rejectMalformed } from './malformed-request.ts';
import { moveQueryKeyToHeaders } from './query-key.ts';
import { corsHeaders, guardRequest, preflightHeaders, type RequestGuardRules } from './request-guard.ts';
import { parseRequestTarget } from './request-target.ts';
import { asGatewayError, drainingError, type RequestContext, sendError } from './respond.ts';
import { clientAddress, type TrustedProxies } from './trusted-proxies.ts';

export interface RequestHandlerParts {
  readonly guardRules: RequestGuardRules;
  readonly dataPlane: DataPlaneRouter;
  /** Handles everything outside the data plane. */
  readonly app: App;
  readonly isDraining: () => boolean;
  /** Whether the path of a target has a route for WebSockets; undefined if no path has. */
  readonly mayUpgrade: ((target: string) => boolean) | undefined;
  readonly trustedProxies: TrustedProxies;
  readonly onRefused?: RequestContext['onRefused'];
  /** Request ids start with the time. */
  readonly clock?: Clock;
}

/** Paths that are served until the end, for orchestrators. */
const drainExemptPaths = new Set(['/health', '/ready', '/metrics']);

export function createGatewayServer(
  implementation: HttpImplementation,
  handlers: RequestHandlers,
): HttpServer {
  return new HttpServer({
    ...handlers,
    implementation,
    headBytesMax: limits.requestHeadBytesMax,
    headMs: limits.requestHeadersMs,
    requestMs: limits.requestBodyMs,
  });
}

/** Admits requests and dispatches them to the data plane or the app. */
export function createRequestHandlers(parts: RequestHandlerParts): RequestHandlers {
  const requestId = createRequestIds(parts.clock);
  return {
    ...(parts.mayUpgrade !== undefined && { mayUpgrade: parts.mayUpgrade }),
    idleMs: parts.trustedProxies.by === 'none' ? limits.idleConnectionMs : limits.idleProxyConnectionMs,
    reject(fault, connection) {
      const id = requestId();
      const refusal = rejectMalformed(fault, connection, id);
      parts.onRefused?.(refusal, { id, fault: fault.kind });
    },
    serve(req, res) {
      const target = parseRequestTarget(req.target);
      const { path } = target;
      const query = moveQueryKeyToHeaders(req, target.query);
      const requestContext: RequestContext = {
        id: requestId(),
        path,
        query,
        clientAddress: clientAddressOf(req, parts.trustedProxies),
        cors: corsHeaders(req, parts.guardRules.origins),
        onRefused: parts.onRefused,
      };
      const served = parts.dataPlane(path, req.method, req.headers);
      try {
        guardRequest(req, target, parts.guardRules);
        if (parts.isDraining() && !drainExemptPaths.has(path)) throw drainingError();
      } catch (thrown) {
        sendError(res, asGatewayError(thrown), requestContext, served?.wire);
        return;
      }
      if (served !== undefined && req.method === served.method)
        void served.handler.handle(req, res, requestContext, served.wire);
      else if (req.method === 'OPTIONS' && requestContext.cors.length > 0) {
        res
          .writeHead(204, [
            'x-request-id',
            requestContext.id,
            ...requestContext.cors,
            ...preflightHeaders(req),
          ])
          .end();
      } else if (served?.path.includes('*') === true)
        sendError(res, methodNotAllowedError(served.method), requestContext, served.wire);
      else void parts.app(req, res, requestContext);
    },
  };
}

/** The app does not know wildcard paths of wire formats. */
function methodNotAllowedError(method: string): GatewayError {
  return new GatewayError('method_not_allowed', `method not allowed; this path accepts ${method}`, {
    headers: ['allow', method],
  });
}

/** The client's address, resolved through trusted proxies. */
export function clientAddressOf(req: HttpRequest, trusted: TrustedProxies): string {
  return clientAddress(req.remoteAddress, req.header('x-forwarded-for'), trusted);
}
