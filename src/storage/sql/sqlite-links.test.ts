import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { queryBounds } from './sql-database.ts';
import { SqliteLinks } from './sqlite-links.ts';

const unavailable = { code: 'storage_unavailable' };

test('while SQLite waits, nothing else is held up', async (t) => {
  const { links, lock } = setUp(t);
  const link = await links.take();
  const unlock = lock();
  const begun = link.run('begin immediate');
  let ticks = 0;
  const ticking = setInterval(() => ticks++, 1);
  // Only a thread that is free can end what SQLite waits for.
  await eventually(() => (ticks >= 50 ? true : undefined));
  clearInterval(ticking);
  unlock();
  await begun;
  await link.run('commit');
  link.giveBack();
});

test('a statement that takes too long is given up with its link, and the next goes on', async (t) => {
  const { links, lock } = setUp(t, { statementMs: 60_000, answerMs: 1000 });
  const link = await links.take();
  const unlock = lock();
  const startedAt = performance.now();
  await assert.rejects(link.run('begin immediate'), unavailable);
  assert.ok(performance.now() - startedAt < 30_000);
  await assert.rejects(link.run('commit'), unavailable);
  await link.rollback();
  link.giveBack();
  unlock();
  const next = await eventually(() => links.take().catch(() => undefined));
  assert.deepEqual((await next.run('select 1 as one')).rows, [{ one: 1 }]);
  next.giveBack();
});

test('a link is taken in turn', async (t) => {
  const { links } = setUp(t);
  const first = await links.take();
  const order: number[] = [];
  const waiting = [1, 2, 3].map(async (number) => {
    const link = await links.take();
    order.push(number);
    await link.run('select 1');
    link.giveBack();
  });
  first.giveBack();
  await Promise.all(waiting);
  assert.deepEqual(order, [1, 2, 3]);
});

test('who waits too long for a link is told so', async (t) => {
  const { links } = setUp(t, { waitMs: 100 });
  const kept = await links.take();
  await assert.rejects(links.take(), unavailable);
  kept.giveBack();
  (await links.take()).giveBack();
});

test('a file that another process keeps locked is unavailable, not broken', async (t) => {
  const { links, lock } = setUp(t, { statementMs: 100 });
  const link = await links.take();
  await link.run('create table kept (id integer)');
  const unlock = lock();
  await assert.rejects(link.run('insert into kept values (1)'), unavailable);
  assert.deepEqual((await link.run('select * from kept')).rows, []);
  unlock();
  assert.equal((await link.run('insert into kept values (1)')).changes, 1);
  link.giveBack();
});

test('a file that can not grow is unavailable, not broken, and goes on when it can', async (t) => {
  const { links } = setUp(t);
  const columns = { table: 'kept', columns: [{ name: 'text', kind: 'text' }] } as const;
  const large = 'x'.repeat(100_000);
  const link = await links.take();
  await link.run('create table kept (text text)');
  await link.run('pragma max_page_count = 10');
  await assert.rejects(link.run('insert into kept values (?)', [large]), unavailable);
  await assert.rejects(link.add(columns, JSON.stringify([[large]])), unavailable);
  await link.run('begin immediate');
  await assert.rejects(link.run('insert into kept values (?)', [large]), unavailable);
  await link.rollback();
  assert.deepEqual((await link.run('select * from kept')).rows, []);
  await link.run('pragma max_page_count = 1000');
  await link.add(columns, JSON.stringify([[large]]));
  assert.equal((await link.run('select * from kept')).rows.length, 1);
  link.giveBack();
});

test('a file that can not be opened again is unavailable', async (t) => {
  const { links, file } = setUp(t);
  const link = await links.take();
  await link.run('create table kept (text text)');
  link.giveBack();
  await links.close();
  const again = new SqliteLinks({ file: `${file}/none`, bounds: queryBounds });
  await assert.rejects(again.take(), unavailable);
  await again.close();
});

test('a transaction that is over already doesn’t spoil the next', async (t) => {
  const { links } = setUp(t);
  const link = await links.take();
  await link.rollback();
  link.giveBack();
  const next = await links.take();
  await next.run('begin immediate');
  await next.run('commit');
  next.giveBack();
});

test('closing ends who waits and doesn’t wait for who never gives back', async (t) => {
  const { links } = setUp(t, { waitMs: 100 });
  const link = await links.take();
  const waiting = assert.rejects(links.take(), unavailable);
  await links.close();
  await waiting;
  await assert.rejects(link.run('select 1'), unavailable);
  await assert.rejects(links.take(), unavailable);
});

test('values of every kind come back as they went, and others are refused', async (t) => {
  const { links } = setUp(t);
  const link = await links.take();
  const values = [null, 'text', 9_007_199_254_740_991, 1.5, Uint8Array.of(0, 255)];
  const { rows } = await link.run('select ? as a, ? as b, ? as c, ? as d, ? as e', values);
  const [a, b, c, d, e] = values;
  assert.deepEqual(rows, [{ a, b, c, d, e }]);
  await assert.rejects(link.run('select ?', [{}]));
  await assert.rejects(link.run('select ?', [() => undefined]));
  await assert.rejects(link.run('select 9007199254740993'));
  await assert.rejects(link.run('no sql'));
  assert.deepEqual((await link.run('select 1 as one')).rows, [{ one: 1 }]);
  link.giveBack();
});

function setUp(t: TestContext, bounds: Partial<typeof queryBounds> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'weir-sqlite-'));
  const file = join(folder, 'weir.db');
  const links = new SqliteLinks({ file, bounds: { ...queryBounds, ...bounds } });
  t.after(async () => {
    await links.close();
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
  return { links, lock, file };
}
