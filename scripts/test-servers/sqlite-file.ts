import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '../../src/storage/sql/sqlite.ts';

/** A database with all tables and nothing in them: a copy takes less than making them for each gateway. */
export async function makeSqliteFile(): Promise<{ readonly file: string; remove(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-sqlite-'));
  const file = join(folder, 'weir.db');
  const database = await openSqlite({ file });
  await database.ping();
  await database.close();
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
