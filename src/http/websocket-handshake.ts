import type { HttpRequest } from './request.ts';

/** What is wrong with the request for a WebSocket (RFC 6455, 4.2.1). */
export type HandshakeFault = 'no-upgrade' | 'version' | 'key';

/** Whether a request asks for a WebSocket, rightly or not. */
export function asksForWebSocket(req: HttpRequest): boolean {
  return req.method === 'GET' && hasToken(req.header('upgrade'), 'websocket');
}

export function findHandshakeFault(req: HttpRequest): HandshakeFault | undefined {
  const isUpgrade = asksForWebSocket(req) && hasToken(req.header('connection'), 'upgrade');
  if (!isUpgrade || req.isHttp10 || req.body.contentLength !== 0) return 'no-upgrade';
  if (req.header('sec-websocket-version')?.trim() !== '13') return 'version';
  return key.test(req.header('sec-websocket-key') ?? '') ? undefined : 'key';
}

/** 16 bytes in base64. */
const key = /^[A-Za-z0-9+/]{22}==$/;

function hasToken(list: string | undefined, token: string): boolean {
  return list?.split(',').some((one) => one.trim().toLowerCase() === token) === true;
}
