import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { GatewayError } from '../kernel/errors.ts';
import { limits } from '../kernel/limits.ts';
import type { WireFormat } from '../kernel/wire-format.ts';
import { type AdmissionRules, admit, corsHeaders, preflightHeaders } from './admission.ts';
import type { App } from './app.ts';
import type { Inference } from './inference.ts';
import { refuseMalformed } from './malformed.ts';
import { asGatewayError, type Call, sendError } from './respond.ts';

export interface FrontParts {
  readonly rules: AdmissionRules;
  readonly inference: Inference;
  /** The data plane's formats, by path. */
  readonly wires: ReadonlyMap<string, WireFormat>;
  /** Everything else. */
  readonly app: App;
  readonly isDraining: () => boolean;
}

/** Paths that are answered to the last, so that an orchestrator sees what is going on. */
const whileDraining = new Set(['/health', '/ready', '/metrics']);

/** The listener: lets a request in, and hands it to the data plane or to our own routes. */
export function createFront(parts: FrontParts): Server {
  const server = createServer(
    {
      noDelay: true,
      keepAliveTimeout: 75_000,
      headersTimeout: limits.requestHeadersMs,
      requestTimeout: limits.requestBodyMs,
      maxHeaderSize: 32 * 1024,
      // A request without a Host is for us to refuse, in the words of the contract.
      requireHostHeader: false,
    },
    (req, res) => {
      const url = req.url ?? '/';
      const mark = url.indexOf('?');
      const path = mark < 0 ? url : url.slice(0, mark);
      const call: Call = {
        id: requestId(),
        path,
        query: mark < 0 ? '' : url.slice(mark),
        cors: corsHeaders(req, parts.rules.origins),
      };
      // A client that leaves in the middle of a write is no event of ours.
      res.on('error', ignore);
      const spoken = parts.wires.get(path.endsWith('/') ? path.slice(0, -1) : path);
      const wire = req.method === 'POST' ? spoken : undefined;
      try {
        admit(req, path, parts.rules);
        if (parts.isDraining() && !whileDraining.has(path)) throw draining();
      } catch (thrown) {
        sendError(res, asGatewayError(thrown), call, spoken);
        return;
      }
      if (wire !== undefined) void parts.inference.handle(req, res, call, wire);
      else if (req.method === 'OPTIONS' && call.cors.length > 0) {
        res.writeHead(204, ['x-request-id', call.id, ...call.cors, ...preflightHeaders(req)]).end();
      } else void parts.app(req, res, call);
    },
  );
  server.on('clientError', (failure, connection) => refuseMalformed(failure, connection, requestId()));
  return server;
}

function requestId(): string {
  return `req_${randomUUID().replaceAll('-', '')}`;
}

function draining(): GatewayError {
  return new GatewayError('draining', 'this gateway is shutting down', {
    retryAfterSeconds: 1,
    headers: ['connection', 'close'],
  });
}

function ignore(): void {}
