import type { RedisConnection } from './redis-connection.ts';

/** The time of Redis's clock in Unix milliseconds. */
export async function readRedisTime(connection: Pick<RedisConnection, 'send'>): Promise<number> {
  const time = await connection.send(['TIME']);
  if (!Array.isArray(time)) throw new Error('Redis TIME returned an unexpected reply');
  return Number(time[0]) * 1000 + Number(time[1]) / 1000;
}
