import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { databaseConformance } from '../../../test/conformance/database.ts';
import { emptyDatabaseFile, patientBounds } from '../../testing/empty-database.ts';
import { openSqlite } from './sqlite.ts';

databaseConformance(
  'a database in SQLite',
  (t) => home(join(folder(t), 'data', 'weir.db')),
  (t) => home(emptyDatabaseFile(folder(t))),
);

function home(file: string) {
  return {
    open: () => openSqlite({ file, bounds: patientBounds }),
    execute: async (statement: string) => {
      const database = new DatabaseSync(file, { timeout: 10_000 });
      try {
        return database.prepare(statement).all();
      } finally {
        database.close();
      }
    },
  };
}

test('the file and those beside it are for their owner only', async (t) => {
  const file = join(folder(t), 'weir.db');
  const database = await openSqlite({ file });
  t.after(() => database.close());
  await database.ping();
  for (const path of [file, `${file}-wal`, `${file}-shm`])
    assert.equal(statSync(path).mode & 0o777, 0o600, path);
});

test('a database is migrated and used by one thread', async (t) => {
  let threads = 0;
  const count = () => threads++;
  process.on('worker', count);
  t.after(() => process.off('worker', count));
  const database = await openSqlite({ file: join(folder(t), 'weir.db') });
  t.after(() => database.close());
  await database.ping();
  assert.equal(threads, 1);
});

test('a file that is no database is refused in one line that names it', async (t) => {
  const file = join(folder(t), 'weir.db');
  writeFileSync(file, 'not a database '.repeat(1000));
  await assert.rejects(openSqlite({ file }), {
    message: /weir\.db can't be opened: file is not a database$/,
  });
});

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'weir-sqlite-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
