import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { someMember } from '../../../test/conformance/database/samples.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { freshPostgres } from '../../../test/support/stores.ts';
import { TcpProxy } from '../../../test/support/tcp-proxy.ts';
import { patientBounds } from '../../testing/empty-database.ts';
import { openPostgres } from './postgres.ts';
import { PostgresPool } from './postgres-pool.ts';

const unavailable = { code: 'storage_unavailable' };
const patient = { ...patientBounds, connectionsMax: 3 };

test('while PostgreSQL is away every question fails soon, and when it is back they are answered', async (t) => {
  const { proxy, url } = await TcpProxy.to(t, await freshPostgres(t));
  const database = await openPostgres({ url, bounds: patient });
  t.after(() => database.close());
  const member = someMember();
  await database.identities.add(member);
  for (let round = 0; round < 2; round++) {
    proxy.stop();
    await allFailWithin(20_000, () => database.members.owner(member.account.id));
    await assert.rejects(database.ping());
    await proxy.start();
    await eventually(() =>
      database.ping().then(
        () => true,
        () => undefined,
      ),
    );
    assert.deepEqual(await database.members.owner(member.account.id), member);
  }
});

test('a PostgreSQL that falls silent is given up, and its connections with it', async (t) => {
  const { proxy, url } = await TcpProxy.to(t, await freshPostgres(t));
  // Short, and yet long enough for a busy machine to answer.
  const database = await openPostgres({ url, bounds: { ...patient, waitMs: 3000, answerMs: 3000 } });
  t.after(() => database.close());
  const members = [someMember(), someMember(), someMember()];
  await Promise.all(members.map((member) => database.identities.add(member)));
  proxy.silence();
  await allFailWithin(20_000, () => database.identities.add(someMember()));
  proxy.speak();
  const found = await Promise.all(members.map(({ account }) => database.members.owner(account.id)));
  assert.deepEqual(found, members);
});

test('connections that break in the middle of transactions leave nothing behind', async (t) => {
  const { proxy, url } = await TcpProxy.to(t, await freshPostgres(t));
  const links = setUp(t, url);
  const pooledConnection = await links.acquire();
  await pooledConnection.run('create table kept (id integer)');
  await pooledConnection.run('begin');
  await pooledConnection.run('insert into kept values (1)');
  proxy.drop();
  await assert.rejects(pooledConnection.run('commit'), unavailable);
  await pooledConnection.rollback();
  pooledConnection.release();
  const next = await links.acquire();
  assert.deepEqual((await next.run('select * from kept')).rows, []);
  next.release();
});

test('a statement that takes too long is given up by the server, and the next goes on', async (t) => {
  const links = setUp(t, await freshPostgres(t), { statementMs: 1000 });
  const pooledConnection = await links.acquire();
  await assert.rejects(pooledConnection.run('select pg_sleep(60)'), unavailable);
  pooledConnection.release();
  const next = await links.acquire();
  assert.deepEqual((await next.run('select 1 as one')).rows, [{ one: 1 }]);
  next.release();
});

test('a statement that is refused doesn’t cost the connection, unless it spoiled a transaction', async (t) => {
  const links = setUp(t, await freshPostgres(t));
  const serving = async () => {
    const link = await links.acquire();
    const { rows } = await link.run('select pg_backend_pid() as pid');
    link.release();
    return rows;
  };
  const first = await serving();
  for (const [statement, ...values] of [['no sql'], ['select 1 / 0'], ['select $1::text', '\0']]) {
    const link = await links.acquire();
    await assert.rejects(link.run(statement ?? '', values));
    link.release();
  }
  assert.deepEqual(await serving(), first);
  const link = await links.acquire();
  await link.run('begin');
  await assert.rejects(link.run('select 1 / 0'));
  await assert.rejects(link.run('commit'), unavailable);
  link.release();
  assert.notDeepEqual(await serving(), first);
});

test('a query that waits too long for a connection fails with a timeout', async (t) => {
  // Long enough for a busy machine to open a connection.
  const links = setUp(t, await freshPostgres(t), { waitMs: 3000 });
  const taken = await Promise.all([links.acquire(), links.acquire(), links.acquire()]);
  await assert.rejects(links.acquire(), unavailable);
  for (const pooledConnection of taken) pooledConnection.release();
  (await links.acquire()).release();
});

test('whole numbers are numbers, and those that a number can’t hold are refused', async (t) => {
  const links = setUp(t, await freshPostgres(t));
  const pooledConnection = await links.acquire();
  const { rows } = await pooledConnection.run('select 9007199254740991::bigint as most, count(*) as many');
  assert.deepEqual(rows, [{ most: 9_007_199_254_740_991, many: 1 }]);
  await assert.rejects(pooledConnection.run('select 9007199254740993::bigint'));
  pooledConnection.release();
});

test('an address without a server is reported in one line without its password', async () => {
  const url = 'postgres://weir:hush-hush@127.0.0.1:1/weir';
  await assert.rejects(openPostgres({ url }), (error) => {
    assert.ok(error instanceof Error);
    assert.match(error.message, /^the database can't be used: connect ECONNREFUSED 127\.0\.0\.1:1$/);
    return true;
  });
});

/** Also when all connections are in use at once. */
async function allFailWithin(ms: number, ask: () => Promise<unknown>): Promise<void> {
  const startedAt = performance.now();
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, ask));
  const tookMs = performance.now() - startedAt;
  for (const outcome of outcomes) {
    assert.equal(outcome.status, 'rejected');
    assert.equal(outcome.reason.code, 'storage_unavailable');
  }
  assert.ok(tookMs < ms, `${tookMs} ms`);
}

function setUp(t: TestContext, url: string, bounds: Partial<typeof patient> = {}): PostgresPool {
  const links = new PostgresPool(url, { ...patient, ...bounds });
  t.after(() => links.close());
  return links;
}
