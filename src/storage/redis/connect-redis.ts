import { createClient } from '@redis/client';
import { withTimeout } from '../../lib/with-timeout.ts';
import { budgetScripts } from './budget-scripts.ts';
import { rateScripts } from './rate-scripts.ts';
import type { RedisAddress, RedisEndpoint } from './redis-address.ts';
import { sharedStateScripts } from './scripts.ts';

export type RedisClient = ReturnType<typeof createRedisClient>;

interface ConnectOptions {
  readonly address: RedisAddress;
  /** The server itself, not a sentinel. */
  readonly endpoint: RedisEndpoint;
  /** Time limit for the connection and the first replies together. */
  readonly answerMs: number;
  readonly signal: AbortSignal;
  readonly onError: (client: RedisClient, error: unknown) => void;
}

/** What a server says of itself when a client connects. */
export interface RedisGreeting {
  /** The time of its clock in Unix milliseconds. */
  readonly nowMs: number;
  readonly isCluster: boolean;
  /** Another one after a restart, and of each server; empty if the server does not tell. */
  readonly runId: string;
}

/** Returns a client with our scripts loaded. */
export async function connectRedis({
  address,
  endpoint,
  answerMs,
  signal,
  onError,
}: ConnectOptions): Promise<{ readonly client: RedisClient; readonly greeting: RedisGreeting }> {
  const client = createRedisClient(address, endpoint, answerMs);
  client.on('error', (error) => onError(client, error));
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  const ready = client.connect().then(() => greet(client));
  try {
    const late = () => new Error('Redis did not answer in time');
    const greeting = await withTimeout(Promise.race([ready, aborted.promise]), answerMs, late);
    signal.throwIfAborted();
    return { client, greeting };
  } catch (error) {
    client.destroy();
    // A client that is destroyed while it connects still finishes connecting: destroy it again afterwards.
    ready.catch(() => undefined).finally(() => client.destroy());
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Never reconnects by itself: RedisNode replaces a client that lost its connection. */
export function createRedisClient(
  { isTls, username, password, database }: Omit<RedisAddress, 'endpoints' | 'sentinel'>,
  endpoint: RedisEndpoint,
  connectTimeout: number,
) {
  const tls = isTls && 'host' in endpoint ? { tls: true as const, servername: endpoint.host } : {};
  unconnected ??= createUnconnected();
  return unconnected.duplicate({
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    database,
    socket: { ...endpoint, ...tls, connectTimeout, reconnectStrategy: false },
  });
}

/** All clients are copies of this one: the first makes a class with all commands, which takes 25 ms of CPU time. */
let unconnected: ReturnType<typeof createUnconnected> | undefined;

function createUnconnected() {
  return createClient({
    RESP: 2,
    clientInfoTag: 'weir',
    maintNotifications: 'disabled',
    disableOfflineQueue: true,
    // The client's own timeout covers only writing the command, not the reply.
    commandOptions: { timeout: 0 },
  });
}

async function greet(client: RedisClient): Promise<RedisGreeting> {
  const [hello, time, info] = await Promise.all([
    // A server or a user's rights may lack these two; then it counts as a single server that never changes.
    client.sendCommand(['HELLO']).catch(() => []),
    client.sendCommand(['TIME']),
    client.sendCommand(['INFO', 'server']).catch(() => ''),
    ...[...sharedStateScripts, ...budgetScripts, ...rateScripts].map(({ text }) =>
      client.sendCommand(['SCRIPT', 'LOAD', text]),
    ),
  ]);
  if (!Array.isArray(time)) throw new Error('Redis TIME returned an unexpected reply');
  const facts = Array.isArray(hello) ? hello.map(String) : [];
  const fact = (name: string) => facts[facts.indexOf(name) + 1];
  const isCluster = fact('mode') === 'cluster';
  // Any node of a cluster knows the others.
  if (fact('role') === 'replica' && !isCluster) throw new Error('this Redis server is a read-only replica');
  if (fact('mode') === 'sentinel')
    throw new Error('this is a sentinel: use redis+sentinel://host/master in REDIS_URL');
  const [, runId = ''] = /^run_id:(\w+)/m.exec(String(info)) ?? [];
  return {
    nowMs: Number(time[0]) * 1000 + Number(time[1]) / 1000,
    isCluster,
    runId,
  };
}
