import type { Database } from '../../kernel/ports/records.ts';
import type { OpenSocket } from '../../lib/late-socket.ts';
import { DocumentState } from '../../storage/documents/document-state.ts';
import { limits } from '../../storage/limits.ts';
import { eraseInRedis } from '../../storage/redis/erase-in-redis.ts';
import { RedisBudgets } from '../../storage/redis/redis-budgets.ts';
import { RedisCacheBackend } from '../../storage/redis/redis-cache-backend.ts';
import { RedisConnection } from '../../storage/redis/redis-connection.ts';
import { RedisSharedState } from '../../storage/redis/redis-shared-state.ts';
import { readRedisTime } from '../../storage/redis/redis-time.ts';
import type { MigrationListener } from '../../storage/sql/migrate.ts';
import { StoreClock } from '../../storage/store-clock.ts';
import type { Log } from '../../telemetry/log.ts';
import { Outage } from '../../telemetry/outage.ts';
import type { Settings } from '../settings.ts';
import { openDatabase, type Stores } from './stores.ts';

interface ReplicatedStoreParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly redisUrl: string;
  readonly allowNewerSchema: boolean;
  readonly migrationListener: MigrationListener;
  readonly openSocket: OpenSocket | undefined;
  /** Called with the durations of statements and of commands. */
  onStatement(ms: number): void;
  onReply(ms: number): void;
}

export async function openReplicatedStores(parts: ReplicatedStoreParts): Promise<Stores> {
  const { settings, allowNewerSchema, onStatement, migrationListener, openSocket } = parts;
  const clock = new StoreClock({ onSkew: (skewMs, isWrong) => logSkew(parts, skewMs, isWrong) });
  const database = await openDatabase(settings, {
    allowNewerSchema,
    clock,
    onStatement,
    migrationListener,
    openSocket,
  });
  try {
    return await connectStores(database, clock, parts);
  } catch (cause) {
    await database.close();
    throw cause;
  }
}

/** Two connections, so that urgent commands do not queue behind large values. */
async function connectStores(
  database: Database,
  clock: StoreClock,
  { settings, redisUrl: url, log, onReply }: ReplicatedStoreParts,
): Promise<Stores> {
  const outage = new Outage(log, { began: 'Redis is unreachable', ended: 'Redis is back' });
  const link = await RedisConnection.open({
    url,
    onReply,
    onChange: (state, cause) => (state === 'down' ? outage.begin({ err: cause }) : outage.end()),
  });
  const shelfLink = await RedisConnection.open({ url });
  // The database's clock counts only until Redis is reached for the first time.
  const countsInRedis = settings.stores?.counts !== 'database';
  await clock.start(() =>
    countsInRedis && (link.isUp || clock.isMeasured) ? readRedisTime(link) : database.now(),
  );
  link.onUp(() => void clock.measure());
  const cacheBackend = new RedisCacheBackend(shelfLink);
  const inRedis = new RedisSharedState(link, clock);
  const ping = () => database.ping();
  const { documents } = database;
  const inDatabase = countsInRedis
    ? undefined
    : new DocumentState({ documents, clock, health: inRedis.health, ping });
  return {
    database,
    clock,
    shared: inDatabase ?? inRedis,
    budgets: inDatabase?.budgets ?? new RedisBudgets(link),
    cacheBackend,
    turnCacheBackend: cacheBackend,
    async erase(accountTraces) {
      await inDatabase?.erase(accountTraces.accountId, accountTraces.shelves);
      await eraseInRedis(shelfLink, accountTraces);
    },
    required: inDatabase === undefined ? { redis: inRedis } : { database },
    optional: inDatabase === undefined ? {} : { redis: inRedis },
    gauges: [
      {
        name: 'weir_redis_up',
        help: 'Whether Redis responds; in a cluster, the share of its masters that do',
        read: () => link.nodes.filter((node) => node.isUp).length / link.nodes.length,
      },
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
      {
        name: 'weir_clock_skew_seconds',
        help: 'How far the clock of this machine is ahead of the one of Redis, or of the database if it counts',
        read: () => clock.skewMs / 1000,
      },
    ],
    async close() {
      clock.stop();
      shelfLink.close();
      await Promise.all([inRedis.close(), inDatabase?.close()]);
      await database.close();
    },
  };
}

function logSkew({ settings, log }: ReplicatedStoreParts, skewMs: number, isWrong: boolean): void {
  const store = settings.stores?.counts === 'database' ? 'the database' : 'Redis';
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  if (isWrong)
    log.warn(
      { skewSeconds: skewMs / 1000 },
      `the clock of this machine is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} the one of ${store}, which counts for days and months; set it, for example with an NTP client`,
    );
  else log.info({ skewSeconds: skewMs / 1000 }, 'the clock of this machine is right again');
}
