import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '../kernel/ports/records.ts';
import type { PoolBounds } from '../storage/sql/connection-pool.ts';
import { defaultPoolBounds } from '../storage/sql/sql-database.ts';
import { openSqlite } from '../storage/sql/sqlite.ts';

/** For tests that are not about how soon a database answers: a hundred questions at once take a busy machine longer than callers wait. */
export const patientBounds: PoolBounds = {
  ...defaultPoolBounds,
  waitMs: 60_000,
  statementMs: 50_000,
  answerMs: 60_000,
};

/** A database in this folder, which has none yet. */
export function openEmptyDatabase(folder: string): Promise<Database> {
  return openSqlite({ file: emptyDatabaseFile(folder), bounds: patientBounds });
}

/** With all tables, where whoever runs many tests has made one: a copy takes less than making them. */
export function emptyDatabaseFile(folder: string): string {
  const file = join(folder, 'weir.db');
  const { TEST_SQLITE_FILE: filled } = process.env;
  if (filled !== undefined) copyFileSync(filled, file);
  return file;
}
