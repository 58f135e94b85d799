import { systemClock } from '../../kernel/clock.ts';
import { limits } from '../../kernel/limits.ts';
import type { Database } from '../../kernel/ports/records.ts';
import { eraseInRedis } from '../../storage/redis/erase-in-redis.ts';
import { RedisLink } from '../../storage/redis/redis-link.ts';
import { RedisPurses } from '../../storage/redis/redis-purses.ts';
import { RedisSharedState } from '../../storage/redis/redis-shared-state.ts';
import { RedisShelves } from '../../storage/redis/redis-shelves.ts';
import type { Stores } from './stores.ts';

type OnRedis = (state: 'up' | 'down', cause?: unknown) => void;

/** Two connections, so that nothing that is in a hurry queues behind large values. */
export async function replicatedStores(database: Database, url: string, onChange: OnRedis): Promise<Stores> {
  const link = await RedisLink.open({ url, onChange });
  const shelfLink = await RedisLink.open({ url });
  const shelves = new RedisShelves(shelfLink);
  const shared = new RedisSharedState(link, systemClock);
  return {
    database,
    shared,
    purses: new RedisPurses(link),
    shelves,
    turnShelves: shelves,
    erase: (traces) => eraseInRedis(shelfLink, traces),
    pingable: { database, redis: shared },
    gauges: [
      { name: 'weir_redis_up', help: 'Whether Redis answers', read: () => Number(link.isUp) },
      {
        name: 'weir_redis_pending',
        help: `Questions to Redis without an answer, of ${limits.redisPendingMax}`,
        read: () => link.pending,
      },
      {
        name: 'weir_shelf_pending_bytes',
        help: 'Bytes on their way to Redis',
        read: () => shelves.pendingBytes,
      },
    ],
    async close() {
      shelfLink.close();
      await Promise.all([shared.close(), database.close()]);
    },
  };
}
