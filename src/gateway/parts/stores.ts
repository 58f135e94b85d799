import { join } from 'node:path';
import type { Database } from '../../kernel/ports/records.ts';
import { inMemory } from '../../storage/settings.ts';
import { openSqlite, openSqliteInMemory } from '../../storage/sql/sqlite.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Common } from '../common.ts';
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
  /** Undefined where this process is alone. */
  readonly common: Common | undefined;
}

/** In the data folder and in memory, unless there are servers for many replicas. */
export async function storesPart({ settings, log, common }: StoreParts): Promise<Stores> {
  const database = await openDatabase(settings, common?.isJoining);
  if (settings.stores === undefined) return embedded(database, common?.memory ?? ownMemory());
  try {
    const { replicatedStores } = await import('./replicated-stores.ts');
    return await replicatedStores(database, settings.stores.redis, (state, cause) => {
      if (state === 'down') log.error({ err: cause }, 'Redis is away');
    });
  } catch (cause) {
    await database.close();
    throw cause;
  }
}

/** Clients of servers are loaded where there are servers: they take 10 MB. */
export async function openDatabase({ stores, dataDir }: Settings, mayBeNewer = false): Promise<Database> {
  if (stores === undefined)
    return dataDir === inMemory
      ? openSqliteInMemory()
      : openSqlite({ file: join(dataDir, 'weir.db'), mayBeNewer });
  const { openPostgres } = await import('../../storage/sql/postgres.ts');
  return openPostgres({ url: stores.database, mayBeNewer });
}

function embedded(database: Database, memory: Memory): Stores {
  return { ...memory, database, pingable: { database }, close: () => database.close() };
}
