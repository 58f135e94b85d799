import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { sectionNames, tablesOf } from '../../../moving/sections.ts';
import { openSqlite } from '../sqlite.ts';
import { movedTables, unmovedTables } from './moved-tables.ts';

test('every table moves, or has a reason why it does not', async () => {
  const names = new Set([...movedTables.map(({ table }) => table), ...Object.keys(unmovedTables)]);
  assert.deepEqual([...names].sort(), [...(await tableNames())].sort());
});

test('every table that moves is in a section, and every section has tables that move', () => {
  const inSections = sectionNames.flatMap((name) => tablesOf(name));
  // Those that are encrypted together.
  const moved = movedTables.map(({ name }) => name).filter((name) => name !== 'further_provider_keys');
  assert.deepEqual([...inSections].sort(), [...moved].sort());
});

/** As the migrations make them. */
async function tableNames(): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-tables-'));
  try {
    const file = join(folder, 'weir.db');
    await (await openSqlite({ file })).close();
    const database = new DatabaseSync(file, { readOnly: true });
    const rows = database.prepare("select name from sqlite_schema where type = 'table'").all();
    database.close();
    return rows.map(({ name }) => String(name)).filter((name) => !name.startsWith('sqlite_'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
