import { type Clock, systemClock } from '../../lib/clock.ts';
import { inMemoryDataDir } from '../../storage/settings.ts';
import { type Check, degraded, failing, passed, reasonOf } from '../../telemetry/diagnostics.ts';
import { limits } from '../limits.ts';
import type { Stores } from '../parts/stores.ts';
import type { Settings } from '../settings.ts';
import { compareClocks } from './clock.ts';
import { diskCheck } from './disk.ts';

const mebibyte = 1024 * 1024;

/** The database, other servers, free disk space and the difference to the clock of the stores. */
export function storeChecks(stores: Stores, { dataDir, stores: servers }: Settings): readonly Check[] {
  const { database, required, optional, clock } = stores;
  return [
    databaseCheck(database),
    migrationsCheck(database),
    connectionsCheck(database),
    ...Object.entries({ ...required, ...optional }).map(([name, store]) => pingCheck(name, store)),
    ...(servers === undefined ? [] : [clockCheck(clock)]),
    ...(dataDir === inMemoryDataDir ? [] : [diskCheck(dataDir)]),
  ];
}

type Database = Stores['database'];

function databaseCheck(database: Database): Check {
  return {
    name: 'database',
    async run() {
      const startedAtMs = performance.now();
      await database.ping();
      const ms = Math.round(performance.now() - startedAtMs);
      const detail = `responds in ${ms} ms; ${Math.ceil((await database.size()) / mebibyte)} MiB`;
      return ms > limits.slowStoreMs
        ? degraded(detail, 'look for slow queries and a busy disk')
        : passed(detail);
    },
  };
}

/** Another process may have migrated the tables, and a restored backup may be older than this process. */
function migrationsCheck(database: Database): Check {
  return {
    name: 'migrations',
    async run() {
      const { applied, known } = await database.schemaVersions();
      if (applied === known) return passed(`the tables have version ${applied}`);
      const detail = `the tables have version ${applied}, and this Weir has version ${known}`;
      return applied < known
        ? failing(detail, 'restart the gateway: it migrates the tables')
        : degraded(detail, 'update this replica: a newer Weir has migrated the tables');
    },
  };
}

function connectionsCheck(database: Database): Check {
  return {
    name: 'database connections',
    run() {
      const { inUse, waiting, connectionsMax } = database.load();
      const detail = `${inUse} of ${connectionsMax} in use, ${waiting} queries waiting`;
      if (waiting <= limits.waitingQueriesMax) return passed(detail);
      return degraded(detail, 'raise WEIR_DATABASE_POOL, or look for slow queries');
    },
  };
}

function pingCheck(name: string, store: { ping(): Promise<void> }): Check {
  return {
    name,
    async run() {
      const startedAtMs = performance.now();
      try {
        await store.ping();
      } catch (thrown) {
        return failing(reasonOf(thrown), 'check that the server runs and accepts connections');
      }
      const ms = Math.round(performance.now() - startedAtMs);
      const detail = `responds in ${ms} ms`;
      if (ms <= limits.slowStoreMs) return passed(detail);
      return degraded(detail, 'check the load of the server and the network to it: every call waits for it');
    },
  };
}

function clockCheck(clock: Clock): Check {
  return {
    name: 'clock',
    run: () => compareClocks({ 'the stores': systemClock.now() - clock.now() }),
  };
}
