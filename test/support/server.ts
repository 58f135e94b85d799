import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Server } from 'node:net';

/** A provider played by hand, for what a script can't say. Ends with its test. */
export async function startServer(
  t: { after(stop: () => unknown): void },
  serve: RequestListener,
): Promise<string> {
  const { url, close } = await startListener(serve);
  t.after(close);
  return url;
}

/** The same for whoever ends it themselves. */
export async function startListener(
  serve: RequestListener,
): Promise<{ readonly url: string; close(): void }> {
  // Or it would end connections that were idle for five seconds, one of which may just be in use on a busy machine.
  const server = createServer({ keepAliveTimeout: 0 }, serve);
  const url = await listening(server);
  return {
    url,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
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
