import type { Worker } from 'node:cluster';
import type { OpenSocket } from '../../lib/late-socket.ts';
import { permitted } from '../../lib/permitted.ts';
import { openHandedConnections, replaceConnect } from './handed-connections.ts';

/** Prepares a worker that may not connect by itself; undefined for others. */
export function confine(worker: Worker): OpenSocket | undefined {
  if (permitted.network) return undefined;
  const openSocket = openHandedConnections(worker);
  replaceConnect(openSocket);
  return openSocket;
}
