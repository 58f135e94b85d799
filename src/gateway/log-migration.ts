import type { MigrationListener } from '../storage/sql/migrate.ts';
import type { Log } from '../telemetry/log.ts';

/** Logs the progress of a migration. The tables of a new database get no lines of their own. */
export function logMigration(log: Pick<Log, 'info'>): MigrationListener {
  let isNew = false;
  let version = 0;
  return {
    onBegin(from, to) {
      isNew = from === 0;
      version = to;
      if (!isNew)
        log.info(
          { from, to },
          `the database is migrated in ${to - from} steps; Weir serves calls afterwards`,
        );
    },
    onStep({ version: step, name, ms }) {
      if (!isNew)
        log.info({ step, of: version, name, ms: Math.round(ms) }, `step ${step} of ${version} is done`);
    },
    onRetry() {
      log.info({}, 'another program has locked tables of the database: the migration will be retried');
    },
    onEnd(ms) {
      const message = isNew ? 'a new database was created' : 'the database is migrated';
      log.info({ version, ms: Math.round(ms) }, message);
    },
  };
}
