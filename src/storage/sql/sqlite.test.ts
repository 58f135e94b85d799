import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, type TestContext, test } from 'node:test';
import { databaseConformance } from '../../../test/conformance/database.ts';
import { patientBounds } from '../../testing/empty-database.ts';
import { openSqlite } from './sqlite.ts';

/** With all tables, which take longer to make than most tests; each gets a copy. */
const filled = mkdtempSync(join(tmpdir(), 'weir-sqlite-'));
before(async () => {
  const database = await openSqlite({ file: join(filled, 'weir.db') });
  await database.ping();
  await database.close();
});
after(() => rmSync(filled, { recursive: true }));

databaseConformance(
  'a database in SQLite',
  (t) => home(join(folder(t), 'data', 'weir.db')),
  (t) => {
    const file = join(folder(t), 'weir.db');
    copyFileSync(join(filled, 'weir.db'), file);
    return home(file);
  },
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
