import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import type { TestContext } from 'node:test';

/** A provider played by hand, for what a script can't say. Ends with its test. */
export async function startServer(t: TestContext, serve: RequestListener): Promise<string> {
  const server = createServer(serve);
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return listening(server);
}

/** Starts it on a free port of this machine; resolves to its address. */
export async function listening(server: Server, port = 0): Promise<string> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${portOf(server.address())}`;
}

export function portOf(address: AddressInfo | string | null): number {
  if (typeof address !== 'object' || address === null) throw new Error('not listening');
  return address.port;
}
