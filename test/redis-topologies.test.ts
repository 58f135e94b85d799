import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Allowance } from '../src/kernel/ports/shared-state.ts';
import { slotOf } from '../src/storage/redis/cluster-slots.ts';
import { eraseInRedis } from '../src/storage/redis/erase-in-redis.ts';
import { keys } from '../src/storage/redis/keys.ts';
import { RedisBudgets } from '../src/storage/redis/redis-budgets.ts';
import { RedisCacheBackend } from '../src/storage/redis/redis-cache-backend.ts';
import { RedisConnection } from '../src/storage/redis/redis-connection.ts';
import { RedisSharedState } from '../src/storage/redis/redis-shared-state.ts';
import { call } from './support/call.ts';
import { bearer, Person, startCloud } from './support/cloud.ts';
import { eventually } from './support/eventually.ts';
import { ManualClock } from './support/manual-clock.ts';
import { OwnRedis, startCluster, startWatched } from './support/redis-servers.ts';
import { replicaSettings } from './support/replicas.ts';
import { emptyFolder } from './support/weir-process.ts';

const demo = { model: 'demo-1', max_tokens: 1, messages: [{ role: 'user', content: 'Hello' }] };

async function open(t: TestContext, url: string) {
  const connection = await RedisConnection.open({ url });
  t.after(() => connection.close());
  return { connection, state: new RedisSharedState(connection, new ManualClock()) };
}

function allowanceOf(accountId: string): Allowance {
  return {
    accountId,
    periodStartMs: Date.UTC(2026, 10, 1),
    periodEndMs: Date.UTC(2026, 11, 1),
    limit: 100,
    givenBackMax: 1000,
  };
}

test('a cluster serves every account, follows a slot that moves, and loses a node only for its accounts', async (t) => {
  const nodes = await startCluster(t, 3);
  const [first, second, third] = nodes;
  assert.ok(first && second && third);
  // One of its nodes is enough.
  const { connection, state } = await open(t, first.url);
  assert.equal(connection.nodes.length, 3);
  assert.ok(connection.isUp);
  const accounts = Array.from({ length: 30 }, (_, at) => `account-${at}`);
  const budgets = new RedisBudgets(connection);
  const caches = new RedisCacheBackend(connection);
  const day = { startMs: Date.UTC(2026, 10, 17), endMs: Date.UTC(2026, 10, 18) };
  for (const account of accounts) {
    const allowance = allowanceOf(account);
    await state.slots.begin(allowance, 0);
    assert.equal((await state.slots.take(allowance)).outcome, 'granted');
    const holder = { accountId: account, keyId: 'k' };
    await budgets.begin(holder, { day, month: day }, { day: 0, month: 0 });
    const request = { holder, windows: { day, month: day }, ceilings: { day: 10 }, amount: 4, least: 1 };
    const held = await budgets.hold(request);
    assert.equal(held.outcome, 'granted');
    await caches.cacheFor(account).put('entry', Buffer.from(account), 60);
    assert.equal(String(await caches.cacheFor(account).get('entry')), account);
    assert.equal(await state.rateLimiter.count(account, { most: 1, seconds: 60 }), 0);
    const counted = await state.counters.add(
      { scope: account, name: 'n' },
      { amount: 1, limit: 5, windowMs: 60_000 },
    );
    assert.equal(counted.count, 1);
  }
  await eraseInRedis(connection, { accountId: 'account-3', shelves: ['account-3'] });
  assert.equal((await state.slots.take(allowanceOf('account-3'))).outcome, 'uncounted');
  assert.equal(await caches.cacheFor('account-3').get('entry'), undefined);
  assert.equal((await state.slots.take(allowanceOf('account-4'))).outcome, 'granted');

  const place = (at: number) => Math.floor(slotOf(keys.version(`account-${at}`)) / Math.ceil(16_384 / 3));
  // A slot without keys needs no migration.
  const mover = accounts.length + [...Array(100).keys()].findIndex((at) => place(accounts.length + at) === 0);
  const target = String(await second.run('CLUSTER', 'MYID'));
  const slot = String(slotOf(keys.version(`account-${mover}`)));
  for (const node of [second, first, third]) await node.run('CLUSTER', 'SETSLOT', slot, 'NODE', target);
  const moved = allowanceOf(`account-${mover}`);
  await state.slots.begin(moved, 0);
  assert.equal((await state.slots.take(moved)).outcome, 'granted');
  assert.equal(await second.run('GET', keys.count(moved.accountId, moved.periodStartMs)), '1');

  await third.stop();
  await eventually(() => (connection.isUp ? undefined : true));
  await state.ping();
  const [here, gone] = [0, 2].map((node) =>
    allowanceOf(`account-${accounts.findIndex((_, at) => place(at) === node)}`),
  );
  assert.ok(here && gone);
  assert.equal((await state.slots.take(here)).outcome, 'granted');
  await assert.rejects(async () => state.slots.take(gone), { code: 'storage_unavailable' });
});

test('after a failover the new master is used, and counts that it may lack calls of begin anew', async (t) => {
  const { url, master, replica } = await startWatched(t);
  const { connection, state } = await open(t, url);
  const [allowance, other] = [allowanceOf('a'), allowanceOf('b')];
  for (const one of [allowance, other]) await state.slots.begin(one, 0);
  const before = await state.slots.take(allowance);
  assert.equal(before.outcome, 'granted');
  await eventually(async () => (await replica.run('GET', keys.server('a'))) ?? undefined);
  await master.stop();
  await eventually(() => (connection.isUp ? undefined : true));
  await eventually(async () => (connection.isUp ? true : undefined));
  assert.equal(await replica.run('GET', keys.count('a', allowance.periodStartMs)), '1');
  const after = await state.slots.take(allowance);
  assert.equal(after.outcome, 'uncounted');
  assert.notEqual(after.version, before.version);
  await state.slots.begin(allowance, 1);
  assert.equal((await state.slots.take(allowance)).outcome, 'granted');
});

test('a gateway runs with a Redis on a socket, with a password and a database', async (t) => {
  const socket = join(emptyFolder(t), 'redis.sock');
  const server = await OwnRedis.start(t, [
    `unixsocket ${socket}`,
    'user weir on >secret ~weir:* +@all -@admin -@dangerous',
  ]);
  const settings = await replicaSettings(t, { REDIS_URL: `unix://weir:secret@${socket}?db=2` });
  const { url } = await startCloud(t, settings);
  const { key } = await (await Person.signUp(url)).makeKey();
  const answer = await call(url, { path: '/v1/messages', headers: bearer(key), body: demo });
  assert.equal(answer.status, 200, answer.text);
  assert.match(String(await server.run('INFO', 'keyspace')), /^db2:/m);
  assert.equal((await call(url, { path: '/ready' })).status, 200);
});
