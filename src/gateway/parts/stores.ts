import { join } from 'node:path';
import { systemClock } from '../../kernel/clock.ts';
import { limits } from '../../kernel/limits.ts';
import type { Database } from '../../kernel/ports/records.ts';
import { RedisLink } from '../../storage/redis/redis-link.ts';
import { RedisPurses } from '../../storage/redis/redis-purses.ts';
import { RedisSharedState } from '../../storage/redis/redis-shared-state.ts';
import { RedisShelves } from '../../storage/redis/redis-shelves.ts';
import { openPostgres } from '../../storage/sql/postgres.ts';
import { openSqlite } from '../../storage/sql/sqlite.ts';
import type { Log } from '../../telemetry/log.ts';
import { type Memory, ownMemory } from '../memory.ts';
import type { Settings } from '../settings.ts';

/** Where this gateway keeps things. */
export interface Stores extends Memory {
  readonly database: Database;
  /** Those that are servers or files of their own, by name. */
  readonly pingable: Readonly<Record<string, Pick<Database, 'ping'>>>;
  close(): Promise<void>;
}

interface StoreParts {
  readonly settings: Settings;
  readonly log: Log;
  /** Stands in for Redis; this process's own where it is undefined. */
  readonly memory: Memory | undefined;
}

/** In the data folder and in memory, unless there are servers for many replicas. */
export async function storesPart({ settings, log, memory }: StoreParts): Promise<Stores> {
  const database = await openDatabase(settings);
  if (settings.stores === undefined) return embedded(database, memory ?? ownMemory());
  try {
    return await replicated(database, settings.stores.redis, (state, cause) => {
      if (state === 'down') log.error({ err: cause }, 'Redis is away');
    });
  } catch (cause) {
    await database.close();
    throw cause;
  }
}

export function openDatabase({ stores, dataDir }: Settings): Promise<Database> {
  return stores === undefined
    ? openSqlite({ file: join(dataDir, 'weir.db') })
    : openPostgres({ url: stores.database });
}

type OnRedis = (state: 'up' | 'down', cause?: unknown) => void;

function embedded(database: Database, memory: Memory): Stores {
  return { ...memory, database, pingable: { database }, close: () => database.close() };
}

/** Two connections, so that nothing that is in a hurry queues behind large values. */
async function replicated(database: Database, url: string, onChange: OnRedis): Promise<Stores> {
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
