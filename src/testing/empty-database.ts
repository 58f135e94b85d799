import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '../kernel/ports/records.ts';
import { openSqlite } from '../storage/sql/sqlite.ts';

/** A database in this folder, which has none yet. */
export function openEmptyDatabase(folder: string): Promise<Database> {
  return openSqlite({ file: emptyDatabaseFile(folder) });
}

/** With all tables, where whoever runs many tests has made one: a copy takes less than making them. */
export function emptyDatabaseFile(folder: string): string {
  const file = join(folder, 'weir.db');
  const { TEST_SQLITE_FILE: filled } = process.env;
  if (filled !== undefined) copyFileSync(filled, file);
  return file;
}
