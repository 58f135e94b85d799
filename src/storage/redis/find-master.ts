import { withTimeout } from '../../lib/with-timeout.ts';
import { createRedisClient } from './connect-redis.ts';
import type { RedisAddress, RedisEndpoint } from './redis-address.ts';

/** Asks one sentinel where the master is. */
export async function findMaster(
  address: RedisAddress,
  sentinelAt: RedisEndpoint,
  answerMs: number,
): Promise<RedisEndpoint> {
  const { isTls, sentinel } = address;
  if (sentinel === undefined) return sentinelAt;
  const client = createRedisClient({ ...sentinel, isTls, database: 0 }, sentinelAt, answerMs);
  client.on('error', () => undefined);
  try {
    const command = ['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', sentinel.master];
    const asking = client.connect().then(() => client.sendCommand(command));
    const reply = await withTimeout(asking, answerMs, () => new Error('a sentinel did not answer in time'));
    const [host, port] = Array.isArray(reply) ? reply : [];
    if (host === undefined) throw new Error(`the sentinel knows no master "${sentinel.master}"`);
    return { host: String(host), port: Number(port) };
  } finally {
    client.destroy();
  }
}
