import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '../kernel/ports/records.ts';
import type { PoolBounds } from '../storage/sql/connection-pool.ts';
import { defaultPoolBounds, openSqlDatabase } from '../storage/sql/sql-database.ts';
import { sqliteDialect } from '../storage/sql/sql-dialect.ts';
import { SqlitePool } from '../storage/sql/sqlite-pool.ts';
import { openSessionHere, runHere } from './sqlite-here.ts';

/** Long timeouts for tests that don't test timeouts: on a busy machine, a hundred concurrent queries can take longer than the defaults. */
export const patientBounds: PoolBounds = {
  ...defaultPoolBounds,
  waitMs: 60_000,
  statementMs: 50_000,
  answerMs: 60_000,
};

/** Creates a database in a folder without one. It runs on this thread. */
export function openEmptyDatabase(folder: string): Promise<Database> {
  const file = { file: emptyDatabaseFile(folder), bounds: patientBounds };
  return openSqlDatabase({
    dialect: sqliteDialect,
    bounds: patientBounds,
    createPool: () => new SqlitePool(file, async () => runHere(openSessionHere(file))),
  });
}

/** A file for a new database. The test runner creates one with all tables, because copying it is faster than creating them. */
export function emptyDatabaseFile(folder: string): string {
  const file = join(folder, 'weir.db');
  const { TEST_SQLITE_FILE: template } = process.env;
  if (template !== undefined) copyFileSync(template, file);
  return file;
}
