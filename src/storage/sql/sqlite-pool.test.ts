import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { defaultPoolBounds } from './sql-database.ts';
import { SqlitePool } from './sqlite-pool.ts';

const unavailable = { code: 'storage_unavailable' };

test('while SQLite waits, nothing else is held up', async (t) => {
  const { links, lock } = setUp(t);
  const pooledConnection = await links.acquire();
  const unlock = lock();
  const begun = pooledConnection.run('begin immediate');
  let ticks = 0;
  const ticking = setInterval(() => ticks++, 1);
  // Only a thread that is free can end what SQLite waits for.
  await eventually(() => (ticks >= 50 ? true : undefined));
  clearInterval(ticking);
  unlock();
  await begun;
  await pooledConnection.run('commit');
  pooledConnection.release();
});

test('a statement that takes too long is given up with its link, and the next goes on', async (t) => {
  const { links, lock } = setUp(t, { statementMs: 60_000, answerMs: 1000 });
  const pooledConnection = await links.acquire();
  const unlock = lock();
  const startedAt = performance.now();
  await assert.rejects(pooledConnection.run('begin immediate'), unavailable);
  assert.ok(performance.now() - startedAt < 30_000);
  await assert.rejects(pooledConnection.run('commit'), unavailable);
  await pooledConnection.rollback();
  pooledConnection.release();
  unlock();
  const next = await eventually(() => links.acquire().catch(() => undefined));
  assert.deepEqual((await next.run('select 1 as one')).rows, [{ one: 1 }]);
  next.release();
});

test('changed bounds hold for the open file', async (t) => {
  const { links, lock } = setUp(t, { statementMs: 600_000, answerMs: 600_000 });
  (await links.acquire()).release();
  await links.changeBounds({ ...defaultPoolBounds, statementMs: 10 });
  const unlock = lock();
  const pooledConnection = await links.acquire();
  await assert.rejects(pooledConnection.run('begin immediate'), unavailable);
  unlock();
  pooledConnection.release();
});

test('a link is taken in turn', async (t) => {
  const { links } = setUp(t);
  const first = await links.acquire();
  const order: number[] = [];
  const waiting = [1, 2, 3].map(async (number) => {
    const pooledConnection = await links.acquire();
    order.push(number);
    await pooledConnection.run('select 1');
    pooledConnection.release();
  });
  first.release();
  await Promise.all(waiting);
  assert.deepEqual(order, [1, 2, 3]);
});

test('a query that waits too long for a link fails with a timeout', async (t) => {
  const { links } = setUp(t, { waitMs: 100 });
  const kept = await links.acquire();
  await assert.rejects(links.acquire(), unavailable);
  kept.release();
  (await links.acquire()).release();
});

test('time in which this thread was held up is no time of waiting for a link', async (t) => {
  const { links } = setUp(t, { waitMs: 300 });
  const first = await links.acquire();
  const running = first.run('select 1');
  const waiting = Array.from({ length: 20 }, async () => {
    const pooledConnection = await links.acquire();
    await pooledConnection.run('select 1');
    pooledConnection.release();
  });
  const isHeldUp = new Int32Array(new SharedArrayBuffer(4));
  Atomics.wait(isHeldUp, 0, 0, 1000);
  await running;
  first.release();
  await Promise.all(waiting);
});

test('a file that another process keeps locked is unavailable, not broken', async (t) => {
  const { links, lock } = setUp(t, { statementMs: 100 });
  const pooledConnection = await links.acquire();
  await pooledConnection.run('create table kept (id integer)');
  const unlock = lock();
  await assert.rejects(pooledConnection.run('insert into kept values (1)'), unavailable);
  assert.deepEqual((await pooledConnection.run('select * from kept')).rows, []);
  unlock();
  assert.equal((await pooledConnection.run('insert into kept values (1)')).changes, 1);
  pooledConnection.release();
});

test('a file that can not grow is unavailable, not broken, and goes on when it can', async (t) => {
  const { links } = setUp(t);
  const large = 'x'.repeat(100_000);
  const pooledConnection = await links.acquire();
  await pooledConnection.run('create table kept (text text)');
  await pooledConnection.run('pragma max_page_count = 10');
  await assert.rejects(pooledConnection.run('insert into kept values (?)', [large]), unavailable);
  await pooledConnection.run('begin immediate');
  await assert.rejects(pooledConnection.run('insert into kept values (?)', [large]), unavailable);
  await pooledConnection.rollback();
  assert.deepEqual((await pooledConnection.run('select * from kept')).rows, []);
  await pooledConnection.run('pragma max_page_count = 1000');
  await pooledConnection.run('insert into kept values (?)', [large]);
  assert.equal((await pooledConnection.run('select * from kept')).rows.length, 1);
  pooledConnection.release();
});

test('a file that can not be opened again is unavailable', async (t) => {
  const { links, file } = setUp(t);
  const pooledConnection = await links.acquire();
  await pooledConnection.run('create table kept (text text)');
  pooledConnection.release();
  await links.close();
  const again = new SqlitePool({ file: `${file}/none`, bounds: defaultPoolBounds });
  await assert.rejects(again.acquire(), unavailable);
  await again.close();
});

test('a transaction that is over already doesn’t spoil the next', async (t) => {
  const { links } = setUp(t);
  const pooledConnection = await links.acquire();
  await pooledConnection.rollback();
  pooledConnection.release();
  const next = await links.acquire();
  await next.run('begin immediate');
  await next.run('commit');
  next.release();
});

test('closing ends who waits and doesn’t wait for who never gives back', async (t) => {
  const { links } = setUp(t, { waitMs: 100 });
  const pooledConnection = await links.acquire();
  const waiting = assert.rejects(links.acquire(), unavailable);
  await links.close();
  await waiting;
  await assert.rejects(pooledConnection.run('select 1'), unavailable);
  await assert.rejects(links.acquire(), unavailable);
});

test('values of every kind come back as they went, and others are refused', async (t) => {
  const { links } = setUp(t);
  const pooledConnection = await links.acquire();
  const values = [null, 'text', 9_007_199_254_740_991, 1.5, Uint8Array.of(0, 255)];
  const { rows } = await pooledConnection.run('select ? as a, ? as b, ? as c, ? as d, ? as e', values);
  const [a, b, c, d, e] = values;
  assert.deepEqual(rows, [{ a, b, c, d, e }]);
  await assert.rejects(pooledConnection.run('select ?', [{}]));
  await assert.rejects(pooledConnection.run('select ?', [() => undefined]));
  await assert.rejects(pooledConnection.run('select 9007199254740993'));
  await assert.rejects(pooledConnection.run('no sql'));
  assert.deepEqual((await pooledConnection.run('select 1 as one')).rows, [{ one: 1 }]);
  pooledConnection.release();
});

function setUp(t: TestContext, bounds: Partial<typeof defaultPoolBounds> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'weir-sqlite-'));
  const file = join(folder, 'weir.db');
  const links = new SqlitePool({ file, bounds: { ...defaultPoolBounds, ...bounds } });
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
