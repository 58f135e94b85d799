import type { Database } from '../../kernel/ports/records.ts';
import { systemClock } from '../../lib/clock.ts';
import { limits } from '../../storage/limits.ts';
import { eraseInRedis } from '../../storage/redis/erase-in-redis.ts';
import { RedisBudgets } from '../../storage/redis/redis-budgets.ts';
import { RedisCacheBackend } from '../../storage/redis/redis-cache-backend.ts';
import { RedisConnection } from '../../storage/redis/redis-connection.ts';
import { RedisSharedState } from '../../storage/redis/redis-shared-state.ts';
import type { Stores } from './stores.ts';

type OnRedisChange = (state: 'up' | 'down', cause?: unknown) => void;

/** Two connections, so that urgent commands do not queue behind large values. */
export async function openReplicatedStores(
  database: Database,
  url: string,
  onChange: OnRedisChange,
): Promise<Stores> {
  const link = await RedisConnection.open({ url, onChange });
  const shelfLink = await RedisConnection.open({ url });
  const cacheBackend = new RedisCacheBackend(shelfLink);
  const shared = new RedisSharedState(link, systemClock);
  return {
    database,
    shared,
    budgets: new RedisBudgets(link),
    cacheBackend,
    turnCacheBackend: cacheBackend,
    erase: (accountTraces) => eraseInRedis(shelfLink, accountTraces),
    required: { redis: shared },
    gauges: [
      { name: 'weir_redis_up', help: 'Whether Redis responds', read: () => Number(link.isUp) },
      {
        name: 'weir_redis_pending',
        help: `Pending Redis commands, max ${limits.redisPendingMax}`,
        read: () => link.pending,
      },
      {
        name: 'weir_shelf_pending_bytes',
        help: 'Bytes being sent to Redis',
        read: () => cacheBackend.pendingBytes,
      },
    ],
    async close() {
      shelfLink.close();
      await Promise.all([shared.close(), database.close()]);
    },
  };
}
