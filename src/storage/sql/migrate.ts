import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql, type Transaction } from 'kysely';
import { limits } from '../limits.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { SchemaTables } from './tables.ts';

/** One step from a schema version to the next. */
export interface Migration {
  readonly name: string;
  up(db: Transaction<SchemaTables>, sqlDialect: SqlDialect): Promise<void>;
}

/** Hears what a migration does, which takes minutes on large tables. */
export interface MigrationListener {
  /** `from` and `to` are schema versions; 0 is an empty database. */
  onBegin(from: number, to: number): void;
  onStep(step: MigrationStep): void;
  onRetry(): void;
  onEnd(ms: number): void;
}

interface MigrationStep {
  readonly version: number;
  readonly name: string;
  readonly ms: number;
}

interface MigrateOptions {
  readonly dialect: SqlDialect;
  readonly migrations: readonly Migration[];
  /** Accept a schema that a newer version of Weir has migrated. */
  readonly allowNewerSchema?: boolean;
  readonly listener?: MigrationListener | undefined;
}

/**
 * Applies all missing migrations or none; a concurrent migration waits and then finds nothing to do. Other queries queue
 * behind a migration that waits for a table lock, so it gives up after a short time, lets them pass and retries.
 */
export async function migrate(db: Kysely<SchemaTables>, migrateOptions: MigrateOptions): Promise<void> {
  const untilMs = performance.now() + limits.migrationMs;
  for (let pauseMs = limits.migrationPauseMsMin; ; pauseMs *= 2)
    try {
      await applyMigrations(db, migrateOptions);
      return;
    } catch (cause) {
      if (!migrateOptions.dialect.isLockTimeout(cause)) throw cause;
      if (performance.now() > untilMs)
        throw new Error(
          'another program, such as a dump, has locked the tables for too long: start Weir when it has finished',
          { cause },
        );
      migrateOptions.listener?.onRetry();
      await sleep(Math.min(pauseMs, limits.migrationPauseMsMax));
    }
}

async function applyMigrations(
  db: Kysely<SchemaTables>,
  { dialect, migrations, allowNewerSchema = false, listener }: MigrateOptions,
): Promise<void> {
  const beganMs = performance.now();
  const isMigrated = await db.transaction().execute(async (trx) => {
    await dialect.lockSchema(trx);
    const version = await readSchemaVersion(trx, dialect);
    if (version > migrations.length && !allowNewerSchema)
      throw new Error(
        `the database has schema version ${version}, but this version of Weir supports only up to ${migrations.length}: start the newer Weir that created it`,
      );
    if (version >= migrations.length) return false;
    listener?.onBegin(version, migrations.length);
    for (const [at, migration] of migrations.entries()) {
      if (at < version) continue;
      const stepMs = performance.now();
      await migration.up(trx, dialect);
      await trx
        .insertInto('schema_migrations')
        .values({ version: at + 1, name: migration.name })
        .execute();
      listener?.onStep({ version: at + 1, name: migration.name, ms: performance.now() - stepMs });
    }
    return true;
  });
  if (isMigrated) listener?.onEnd(performance.now() - beganMs);
}

async function readSchemaVersion(
  trx: Transaction<SchemaTables>,
  { integer, text, tableEnd }: SqlDialect,
): Promise<number> {
  await trx.schema
    .createTable('schema_migrations')
    .ifNotExists()
    .addColumn('version', integer, (column) => column.primaryKey())
    .addColumn('name', text, (column) => column.notNull())
    .modifyEnd(tableEnd)
    .execute();
  const { version } = await trx
    .selectFrom('schema_migrations')
    .select(sql<number>`coalesce(max(version), 0)`.as('version'))
    .executeTakeFirstOrThrow();
  return version;
}
