import type { HttpResponse } from '../../http/response.ts';
import { closeCodes, WebSocketConnection } from '../../http/websocket.ts';
import { findHandshakeFault } from '../../http/websocket-handshake.ts';
import { GatewayError } from '../../kernel/errors.ts';
import type { Log } from '../../telemetry/log.ts';
import { limits } from '../limits.ts';
import { isCrossSite } from '../request-guard.ts';
import { type RequestContext, reportRefusal } from '../respond.ts';
import type { WebSockets } from '../web-sockets.ts';
import type { ApiRequest, WebSocketRoute } from './route.ts';

interface WebSocketContext {
  readonly request: ApiRequest;
  readonly context: RequestContext;
  readonly webSockets: WebSockets;
  readonly log: Log;
}

/** Authenticates the client, upgrades its connection and serves it until it is closed. */
export async function serveWebSocket(
  route: WebSocketRoute,
  res: HttpResponse,
  { request, context, webSockets, log }: WebSocketContext,
): Promise<void> {
  checkHandshake(res, context);
  const { accountId, protocol, serve, abandon } = await route.accept(request);
  const { webSocket: defaults } = limits;
  const { messageBytesMax = defaults.messageBytesMax, idleMs = defaults.idleMs } = route;
  let webSocket: WebSocketConnection | undefined;
  try {
    webSockets.checkRoom(accountId);
    webSocket = WebSocketConnection.accept(res, {
      protocol,
      headers: ['x-request-id', context.id],
      onFault: () =>
        reportRefusal(
          { status: 400, code: 'websocket_protocol_error' },
          { ...context, accountId },
          request.headers,
        ),
      limits: { ...defaults, messageBytesMax, idleMs },
    });
  } finally {
    if (webSocket === undefined) abandon?.();
  }
  if (webSocket === undefined) return;
  webSockets.add(webSocket, accountId);
  try {
    await serve(webSocket);
    webSocket.close(closeCodes.normal);
  } catch (err) {
    if (!webSocket.isClosed) log.error({ id: context.id, err }, 'a WebSocket failed');
    webSocket.close(closeCodes.internal, 'internal error');
  }
}

/** Browsers send WebSocket requests of every page with cookies, so pages of other origins have to be allowed. */
function checkHandshake({ request }: HttpResponse, { cors }: RequestContext): void {
  if (cors.length === 0 && isCrossSite(request, noOrigins))
    throw new GatewayError(
      'cross_site',
      'pages of this origin may not open a WebSocket; add the origin to WEIR_CORS_ORIGINS',
    );
  switch (findHandshakeFault(request)) {
    case undefined:
      return;
    case 'key':
      throw new GatewayError('invalid_request', 'sec-websocket-key must be 16 bytes in base64');
    case 'version':
      throw new GatewayError('upgrade_required', 'send "sec-websocket-version: 13"', {
        headers: ['sec-websocket-version', '13', ...upgradeHeaders],
      });
    case 'no-upgrade':
      throw new GatewayError(
        'upgrade_required',
        'this path accepts WebSockets: send "connection: upgrade" and "upgrade: websocket" with HTTP/1.1',
        { headers: upgradeHeaders },
      );
  }
}

const noOrigins: ReadonlySet<string> = new Set();
const upgradeHeaders = ['upgrade', 'websocket', 'connection', 'close'];
