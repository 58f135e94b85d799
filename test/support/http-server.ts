import type { TestContext } from 'node:test';
import { type HttpImplementation, HttpServer, type ServerOptions } from '../../src/http/server.ts';
import { cleanUp } from './clean-up.ts';

export const httpImplementations: readonly HttpImplementation[] = ['own', 'node'];

/** Starts an HTTP server without a gateway. Returns its URL. */
export async function startHttp(
  t: TestContext,
  serve: ServerOptions['serve'],
  options: Partial<ServerOptions> = {},
): Promise<string> {
  const server = new HttpServer({ ...patient, serve, ...options });
  const port = await server.listen('127.0.0.1', 0);
  cleanUp(t, () => {
    const closed = server.close();
    server.closeAllConnections();
    return closed;
  });
  return `http://127.0.0.1:${port}`;
}

/** Server options with timeouts that no test reaches. */
export const patient: Omit<ServerOptions, 'serve'> = {
  implementation: process.env.WEIR_HTTP === 'node' ? 'node' : 'own',
  headBytesMax: 32 * 1024,
  idleMs: 60_000,
  headMs: 60_000,
  requestMs: 60_000,
  reject: (error, socket) => socket.end(`HTTP/1.1 400 ${error.kind}\r\nconnection: close\r\n\r\n`),
};
