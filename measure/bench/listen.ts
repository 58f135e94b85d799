import { once } from 'node:events';
import type { Server } from 'node:http';

/** Listens on a free loopback port and returns it. */
export async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port');
  return address.port;
}
