import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import type { CommittedRow } from '../../../test/support/crash-writer.ts';
import { freshPostgres } from '../../../test/support/stores.ts';
import { openPostgres } from './postgres.ts';
import { openSqlite } from './sqlite.ts';

const writer = fileURLToPath(new URL('../../../test/support/crash-writer.ts', import.meta.url));

type Rows = (statement: string) => Promise<readonly Record<string, unknown>[]>;

test('SQLite keeps every committed row, and its file is whole, when processes that write are killed', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-crash-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'weir.db');
  const committed: CommittedRow[] = [];
  for (const round of [0, 2, 4]) {
    // Two write to the same file, and none has long to live.
    const lives = [20 + 97 * round, 50 + 73 * round].map((rows) => liveFor(rows, file));
    committed.push(...(await Promise.all(lives)).flat());
    const reopened = await openSqlite({ file });
    await reopened.ping();
    await reopened.close();
    const database = new DatabaseSync(file, { readOnly: true });
    const rows: Rows = async (statement) => database.prepare(statement).all();
    assert.deepEqual(
      (await rows('pragma integrity_check')).map(({ integrity_check }) => integrity_check),
      ['ok'],
    );
    assert.deepEqual(await rows('pragma foreign_key_check'), []);
    await assertAllThere(committed, rows);
    database.close();
  }
  t.diagnostic(`${committed.length} rows in 6 lives`);
});

test('PostgreSQL keeps every committed row when processes that write are killed', async (t) => {
  const url = await freshPostgres(t);
  const committed: CommittedRow[] = [];
  for (let round = 0; round < 2; round++) {
    const lives = [20 + 97 * round, 50 + 73 * round].map((rows) => liveFor(rows, url));
    committed.push(...(await Promise.all(lives)).flat());
    const reopened = await openPostgres({ url });
    await reopened.ping();
    await reopened.close();
    const client = new Client({ connectionString: url });
    await client.connect();
    await assertAllThere(committed, async (statement) => (await client.query(statement)).rows);
    await client.end();
  }
  t.diagnostic(`${committed.length} rows in 4 lives`);
});

/** Kills a writer when it has reported this many rows; resolves to all rows that it reported. */
async function liveFor(rows: number, place: string): Promise<readonly CommittedRow[]> {
  const reported: CommittedRow[] = [];
  const child = fork(writer, [place]);
  child.on('message', (committedRow: CommittedRow) => {
    reported.push(committedRow);
    if (reported.length === rows) child.kill('SIGKILL');
  });
  const [[code, signal]] = await Promise.all([once(child, 'exit'), once(child, 'close')]);
  assert.deepEqual([code, signal], [null, 'SIGKILL']);
  return reported;
}

async function assertAllThere(committed: readonly CommittedRow[], rows: Rows): Promise<void> {
  for (const table of ['users', 'api_keys', 'usage_batches'] as const) {
    const there = new Set((await rows(`select id from ${table}`)).map(({ id }) => id));
    const lost = committed.filter((row) => row.table === table && !there.has(row.id));
    assert.deepEqual(lost, []);
  }
  // Batches are whole: what they added is as much as there are of them.
  const [sums] = await rows(`select (select count(*) from usage_batches) as batches,
    (select calls from usage_periods) as calls, (select requests from usage_days) as requests`);
  assert.deepEqual(
    [Number(sums?.calls), Number(sums?.requests)],
    [Number(sums?.batches), Number(sums?.batches)],
  );
}
