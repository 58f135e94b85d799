import type { TestContext } from 'node:test';
import { HttpServer, type ServerOptions } from '../../src/http/server.ts';
import { cleanUp } from './clean-up.ts';

/** The gateway's HTTP by itself, on a port of its own. */
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

export const patient: Omit<ServerOptions, 'serve'> = {
  headBytesMax: 32 * 1024,
  idleMs: 60_000,
  headMs: 60_000,
  requestMs: 60_000,
  reject: (fault, socket) => socket.end(`HTTP/1.1 400 ${fault.kind}\r\nconnection: close\r\n\r\n`),
};
