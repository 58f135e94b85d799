import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { queryBounds } from './sql-database.ts';
import { SqliteLines } from './sqlite-lines.ts';

const unavailable = { code: 'storage_unavailable' };

test('while SQLite waits, nothing else is held up', async (t) => {
  const { lines, lock } = setUp(t);
  const line = await lines.take();
  const unlock = lock();
  const begun = line.run('begin immediate');
  let ticks = 0;
  const ticking = setInterval(() => ticks++, 1);
  // Only a thread that is free can end what SQLite waits for.
  await eventually(() => (ticks >= 50 ? true : undefined));
  clearInterval(ticking);
  unlock();
  await begun;
  await line.run('commit');
  line.giveBack();
});

test('a statement that takes too long is given up with its line, and the next goes on', async (t) => {
  const { lines, lock } = setUp(t, { statementMs: 60_000, answerMs: 1000 });
  const line = await lines.take();
  const unlock = lock();
  const startedAt = performance.now();
  await assert.rejects(line.run('begin immediate'), unavailable);
  assert.ok(performance.now() - startedAt < 30_000);
  await assert.rejects(line.run('commit'), unavailable);
  await line.rollback();
  line.giveBack();
  unlock();
  const next = await eventually(() => lines.take().catch(() => undefined));
  assert.deepEqual((await next.run('select 1 as one')).rows, [{ one: 1 }]);
  next.giveBack();
});

test('a line is taken in turn', async (t) => {
  const { lines } = setUp(t);
  const first = await lines.take();
  const order: number[] = [];
  const waiting = [1, 2, 3].map(async (number) => {
    const line = await lines.take();
    order.push(number);
    await line.run('select 1');
    line.giveBack();
  });
  first.giveBack();
  await Promise.all(waiting);
  assert.deepEqual(order, [1, 2, 3]);
});

test('who waits too long for a line is told so', async (t) => {
  const { lines } = setUp(t, { waitMs: 100 });
  const kept = await lines.take();
  await assert.rejects(lines.take(), unavailable);
  kept.giveBack();
  (await lines.take()).giveBack();
});

test('a file that another process keeps locked is unavailable, not broken', async (t) => {
  const { lines, lock } = setUp(t, { statementMs: 100 });
  const line = await lines.take();
  await line.run('create table kept (id integer)');
  const unlock = lock();
  await assert.rejects(line.run('insert into kept values (1)'), unavailable);
  assert.deepEqual((await line.run('select * from kept')).rows, []);
  unlock();
  assert.equal((await line.run('insert into kept values (1)')).changes, 1);
  line.giveBack();
});

test('a transaction that is over already doesn’t spoil the next', async (t) => {
  const { lines } = setUp(t);
  const line = await lines.take();
  await line.rollback();
  line.giveBack();
  const next = await lines.take();
  await next.run('begin immediate');
  await next.run('commit');
  next.giveBack();
});

test('closing ends who waits and doesn’t wait for who never gives back', async (t) => {
  const { lines } = setUp(t, { waitMs: 100 });
  const line = await lines.take();
  const waiting = assert.rejects(lines.take(), unavailable);
  await lines.close();
  await waiting;
  await assert.rejects(line.run('select 1'), unavailable);
  await assert.rejects(lines.take(), unavailable);
});

test('values of every kind come back as they went, and others are refused', async (t) => {
  const { lines } = setUp(t);
  const line = await lines.take();
  const values = [null, 'text', 9_007_199_254_740_991, 1.5, Uint8Array.of(0, 255)];
  const { rows } = await line.run('select ? as a, ? as b, ? as c, ? as d, ? as e', values);
  const [a, b, c, d, e] = values;
  assert.deepEqual(rows, [{ a, b, c, d, e }]);
  await assert.rejects(line.run('select ?', [{}]));
  await assert.rejects(line.run('select ?', [() => undefined]));
  await assert.rejects(line.run('select 9007199254740993'));
  await assert.rejects(line.run('no sql'));
  assert.deepEqual((await line.run('select 1 as one')).rows, [{ one: 1 }]);
  line.giveBack();
});

function setUp(t: TestContext, bounds: Partial<typeof queryBounds> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'weir-sqlite-'));
  const file = join(folder, 'weir.db');
  const lines = new SqliteLines({ file, bounds: { ...queryBounds, ...bounds } });
  t.after(async () => {
    await lines.close();
    rmSync(folder, { recursive: true, force: true });
  });
  /** As another process would; gives back what ends it. */
  const lock = () => {
    const other = new DatabaseSync(file);
    other.exec('begin immediate');
    return () => {
      other.exec('rollback');
      other.close();
    };
  };
  return { lines, lock };
}
