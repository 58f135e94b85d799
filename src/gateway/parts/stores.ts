import { join } from 'node:path';
import type { Database } from '../../kernel/ports/records.ts';
import { type Clock, systemClock } from '../../lib/clock.ts';
import type { OpenSocket } from '../../lib/late-socket.ts';
import { inMemoryDataDir } from '../../storage/settings.ts';
import type { MigrationListener } from '../../storage/sql/migrate.ts';
import { openSqlite, openSqliteInMemory } from '../../storage/sql/sqlite.ts';
import type { SqliteThreads } from '../../storage/sql/sqlite-thread.ts';
import type { Check } from '../../telemetry/diagnostics.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { storeChecks } from '../checks/stores.ts';
import { DatabaseProbe } from '../database-probe.ts';
import { createInProcessStores, type EphemeralStores } from '../ephemeral-stores.ts';
import { logMigration } from '../log-migration.ts';
import type { Settings } from '../settings.ts';
import type { SharedResources } from '../shared-resources.ts';

/** The stores of the gateway. */
export interface Stores extends EphemeralStores {
  readonly database: Database;
  /** The clock of days, months and all times that replicas compare. */
  readonly clock: Clock;
  /** The servers without which calls fail, by name. Calls of known keys survive the loss of the database for a while. */
  readonly required: Readonly<Record<string, Pick<Database, 'ping'>>>;
  readonly checks?: readonly Check[];
  /** Servers besides the database that calls survive the loss of. */
  readonly optional?: Readonly<Record<string, Pick<Database, 'ping'>>>;
  close(): Promise<void>;
}

interface StoreParts {
  readonly settings: Settings;
  readonly log: Log;
  /** Undefined in a single process. */
  readonly sharedResources: SharedResources | undefined;
  readonly metrics: Metrics;
  readonly sqliteThreads?: SqliteThreads | undefined;
}

/** Uses the data folder and memory, or PostgreSQL and Redis if configured. */
export async function storesPart(parts: StoreParts): Promise<Stores> {
  const stores = await openStores(parts);
  const probe = new DatabaseProbe(stores.database, parts.log);
  return {
    ...stores,
    gauges: [...stores.gauges, ...probe.gauges],
    checks: storeChecks(stores, parts.settings),
    close() {
      probe.stop();
      return stores.close();
    },
  };
}

async function openStores({
  settings,
  log,
  sharedResources,
  metrics,
  sqliteThreads,
}: StoreParts): Promise<Stores> {
  const allowNewerSchema = sharedResources?.isJoining ?? false;
  const onStatement = metrics.storeObserver('database');
  const migrationListener = logMigration(log);
  if (settings.stores === undefined) {
    const database = await openDatabase(settings, {
      allowNewerSchema,
      onStatement,
      migrationListener,
      sqliteThreads,
    });
    return embeddedStores(database, sharedResources?.stores ?? createInProcessStores());
  }
  const { openReplicatedStores } = await import('./replicated-stores.ts');
  return openReplicatedStores({
    settings,
    log,
    redisUrl: settings.stores.redis,
    openSocket: sharedResources?.openSocket,
    allowNewerSchema,
    onStatement,
    migrationListener,
    onReply: metrics.storeObserver('redis'),
  });
}

interface OpenDatabaseOptions {
  readonly allowNewerSchema?: boolean;
  /** The clock of entries that expire. */
  readonly clock?: Clock;
  readonly onStatement?: (ms: number) => void;
  readonly migrationListener?: MigrationListener;
  readonly openSocket?: OpenSocket | undefined;
  readonly sqliteThreads?: SqliteThreads | undefined;
}

/** Loads the database clients only if needed: they take 10 MB. */
export async function openDatabase(
  { stores, dataDir }: Settings,
  { openSocket, sqliteThreads: threads, ...options }: OpenDatabaseOptions = {},
): Promise<Database> {
  if (stores === undefined)
    return dataDir === inMemoryDataDir
      ? openSqliteInMemory(options)
      : openSqlite({ file: join(dataDir, 'weir.db'), threads, ...options });
  const { openPostgres, defaultPoolBounds } = await import('../../storage/sql/postgres.ts');
  const bounds = { ...defaultPoolBounds, connectionsMax: stores.pool };
  return openPostgres({ url: stores.database, bounds, openSocket, ...options });
}

function embeddedStores(database: Database, ephemeralStores: EphemeralStores): Stores {
  return {
    ...ephemeralStores,
    database,
    clock: systemClock,
    required: {},
    close: () => database.close(),
  };
}
