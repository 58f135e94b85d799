import { createClient } from '@redis/client';
import { withTimeout } from '../../kernel/with-timeout.ts';
import { budgetScripts } from './budget-scripts.ts';
import { sharedStateScripts } from './scripts.ts';

export type RedisClient = ReturnType<typeof createRedisClient>;

interface ConnectOptions {
  readonly url: string;
  /** For the connection and the first answers together. */
  readonly answerMs: number;
  readonly signal: AbortSignal;
  readonly onError: (client: RedisClient, error: unknown) => void;
}

/** A client with our scripts loaded, and what time it is in Redis. */
export async function connectRedis({ url, answerMs, signal, onError }: ConnectOptions): Promise<{
  readonly client: RedisClient;
  readonly nowMs: number;
}> {
  const client = createRedisClient(url, answerMs);
  client.on('error', (error) => onError(client, error));
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  const greeted = client.connect().then(() => loadScripts(client));
  try {
    const late = () => new Error('Redis did not answer in time');
    const nowMs = await withTimeout(Promise.race([greeted, aborted.promise]), answerMs, late);
    signal.throwIfAborted();
    return { client, nowMs };
  } catch (error) {
    client.destroy();
    // One that is destroyed while it connects goes on, and has a connection in the end.
    greeted.catch(() => undefined).finally(() => client.destroy());
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Never connects by itself again: a client that lost its connection is replaced. */
function createRedisClient(url: string, connectTimeout: number) {
  return createClient({
    url,
    RESP: 2,
    clientInfoTag: 'weir',
    maintNotifications: 'disabled',
    disableOfflineQueue: true,
    // Its own time ends when a command is written, and not when it is answered.
    commandOptions: { timeout: 0 },
    socket: { connectTimeout, reconnectStrategy: false },
  });
}

/** Milliseconds since 1970 on Redis's clock. */
async function loadScripts(client: RedisClient): Promise<number> {
  const [time] = await Promise.all([
    client.sendCommand(['TIME']),
    ...[...sharedStateScripts, ...budgetScripts].map(({ text }) =>
      client.sendCommand(['SCRIPT', 'LOAD', text]),
    ),
  ]);
  if (!Array.isArray(time)) throw new Error('Redis did not tell its time');
  return Number(time[0]) * 1000 + Number(time[1]) / 1000;
}
