import { createClient } from '@redis/client';
import { withTimeout } from '../../lib/with-timeout.ts';
import { budgetScripts } from './budget-scripts.ts';
import { sharedStateScripts } from './scripts.ts';

export type RedisClient = ReturnType<typeof createRedisClient>;

interface ConnectOptions {
  readonly url: string;
  /** Time limit for the connection and the first replies together. */
  readonly answerMs: number;
  readonly signal: AbortSignal;
  readonly onError: (client: RedisClient, error: unknown) => void;
}

/** Returns a client with our scripts loaded, and the time in Redis. */
export async function connectRedis({ url, answerMs, signal, onError }: ConnectOptions): Promise<{
  readonly client: RedisClient;
  readonly nowMs: number;
}> {
  const client = createRedisClient(url, answerMs);
  client.on('error', (error) => onError(client, error));
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  const ready = client.connect().then(() => loadScripts(client));
  try {
    const late = () => new Error('Redis did not answer in time');
    const nowMs = await withTimeout(Promise.race([ready, aborted.promise]), answerMs, late);
    signal.throwIfAborted();
    return { client, nowMs };
  } catch (error) {
    client.destroy();
    // A client that is destroyed while it connects still finishes connecting: destroy it again afterwards.
    ready.catch(() => undefined).finally(() => client.destroy());
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Never reconnects by itself: RedisConnection replaces a client that lost its connection. */
function createRedisClient(url: string, connectTimeout: number) {
  return createClient({
    url,
    RESP: 2,
    clientInfoTag: 'weir',
    maintNotifications: 'disabled',
    disableOfflineQueue: true,
    // The client's own timeout covers only writing the command, not the reply.
    commandOptions: { timeout: 0 },
    socket: { connectTimeout, reconnectStrategy: false },
  });
}

/** Returns the time of Redis's clock in Unix milliseconds. */
async function loadScripts(client: RedisClient): Promise<number> {
  const [time] = await Promise.all([
    client.sendCommand(['TIME']),
    ...[...sharedStateScripts, ...budgetScripts].map(({ text }) =>
      client.sendCommand(['SCRIPT', 'LOAD', text]),
    ),
  ]);
  if (!Array.isArray(time)) throw new Error('Redis TIME returned an unexpected reply');
  return Number(time[0]) * 1000 + Number(time[1]) / 1000;
}
