import { request as httpsRequest } from 'node:https';
import { isIPv6, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { OpenSocket } from '../lib/late-socket.ts';
import { request as httpRequest } from '../lib/node-http.ts';
import { portOf } from './destinations.ts';

export interface TunnelTarget {
  readonly host: string;
  readonly port: number;
  readonly connectMs: number;
}

/** A TCP connection through a proxy, which resolves the name of the host. */
export async function openTunnel(
  proxy: URL,
  { host, port, connectMs }: TunnelTarget,
  openSocket?: OpenSocket,
): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const authority = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
  const isTls = proxy.protocol === 'https:';
  const proxyHost = proxy.hostname.replace(/^\[|\]$/g, '');
  const handed = await openSocket?.({ host: proxyHost, port: portOf(proxy) });
  const opening = (isTls ? httpsRequest : httpRequest)({
    host: proxyHost,
    port: portOf(proxy),
    method: 'CONNECT',
    path: authority,
    headers: { host: authority, ...authorizationOf(proxy) },
    ...(handed === undefined
      ? { agent: false }
      : { createConnection: () => (isTls ? connectTls({ socket: handed, servername: proxyHost }) : handed) }),
    signal: AbortSignal.timeout(connectMs),
  });
  opening.on('connect', ({ statusCode = 0 }, socket: Socket, head: Buffer) => {
    if (statusCode >= 200 && statusCode < 300 && head.length === 0) return resolve(socket);
    socket.destroy();
    reject(new ProxyError(`the proxy answered CONNECT with ${statusCode}`));
  });
  // A proxy may answer a CONNECT as any other request.
  opening.on('response', (response) => {
    response.destroy();
    reject(new ProxyError(`the proxy answered CONNECT with ${response.statusCode}`));
  });
  opening.on('error', (cause) => reject(new ProxyError('the proxy could not be reached', { cause })));
  opening.end();
  return promise;
}

/** Nothing can have been sent to the target. */
class ProxyError extends Error {
  readonly code = 'EPROXY';
}

function authorizationOf({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === '') return {};
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(text).toString('base64')}` };
}
