import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { TestContext } from 'node:test';

/** A proxy that leads every name to this machine, as only it can. */
export async function startConnectProxy(t: TestContext) {
  const asked: string[] = [];
  const users: (string | undefined)[] = [];
  const server = createServer();
  server.on('connect', (request: IncomingMessage, client) => {
    asked.push(String(request.url));
    users.push(request.headers['proxy-authorization']);
    if (String(request.url).startsWith('forbidden')) {
      client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    const target = connect(Number(String(request.url).split(':').at(-1)), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.pipe(client).pipe(target);
    });
    for (const socket of [client, target]) socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.closeAllConnections());
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { asked, users, url: new URL(`http://weir:se%40cret@127.0.0.1:${port}`) };
}
