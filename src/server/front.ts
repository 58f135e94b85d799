import type { HttpRequest } from '../http/request.ts';
import { HttpServer } from '../http/server.ts';
import { GatewayError } from '../kernel/errors.ts';
import { limits } from '../kernel/limits.ts';
import { createRequestIds } from '../kernel/request-ids.ts';
import type { DataPlane } from './data-plane.ts';
import { type AdmissionRules, admit, corsHeaders, preflightHeaders } from './gatekeeper.ts';
import { refuseMalformed } from './malformed.ts';
import type { App } from './own/app.ts';
import { takeQueryKey } from './query-key.ts';
import { requestTarget } from './request-target.ts';
import { asGatewayError, type Call, sendError } from './respond.ts';
import { clientAddress, type TrustedProxies } from './trusted-proxies.ts';

export interface FrontParts {
  readonly rules: AdmissionRules;
  readonly dataPlane: DataPlane;
  /** Everything else. */
  readonly app: App;
  readonly isDraining: () => boolean;
  readonly trustedProxies: TrustedProxies;
}

/** Paths that are answered to the last, so that an orchestrator sees what is going on. */
const whileDraining = new Set(['/health', '/ready', '/metrics']);

/** The listener: lets a request in, and hands it to the data plane or to our own routes. */
export function createFront(parts: FrontParts): HttpServer {
  const requestId = createRequestIds();
  return new HttpServer({
    headBytesMax: limits.requestHeadBytesMax,
    idleMs: parts.trustedProxies.by === 'nobody' ? limits.idleConnectionMs : limits.idleProxyConnectionMs,
    headMs: limits.requestHeadersMs,
    requestMs: limits.requestBodyMs,
    refuse: (fault, connection) => refuseMalformed(fault, connection, requestId()),
    serve(req, res) {
      const target = requestTarget(req.target);
      const { path } = target;
      const query = takeQueryKey(req, target.query);
      const call: Call = { id: requestId(), path, query, cors: corsHeaders(req, parts.rules.origins) };
      const served = parts.dataPlane(path);
      try {
        admit(req, target, parts.rules);
        if (parts.isDraining() && !whileDraining.has(path)) throw draining();
      } catch (thrown) {
        sendError(res, asGatewayError(thrown), call, served?.wire);
        return;
      }
      if (served !== undefined && req.method === 'POST') void served.by.handle(req, res, call, served.wire);
      else if (req.method === 'OPTIONS' && call.cors.length > 0) {
        res.writeHead(204, ['x-request-id', call.id, ...call.cors, ...preflightHeaders(req)]).end();
      } else if (served?.path.includes('*') === true) sendError(res, wrongMethod(), call, served.wire);
      else void parts.app(req, res, { ...call, clientAddress: addressOf(req, parts.trustedProxies) });
    },
  });
}

function draining(): GatewayError {
  return new GatewayError('draining', 'this gateway is shutting down', {
    retryAfterSeconds: 1,
    headers: ['connection', 'close'],
  });
}

/** Our own routes know no paths of which a format reads a part by itself. */
function wrongMethod(): GatewayError {
  return new GatewayError('method_not_allowed', 'this path takes POST', { headers: ['allow', 'POST'] });
}

/** Of the client, as far as proxies in between are believed. */
export function addressOf(req: HttpRequest, trusted: TrustedProxies): string {
  return clientAddress(req.remoteAddress, req.header('x-forwarded-for'), trusted);
}
