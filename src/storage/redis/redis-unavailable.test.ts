import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { eventually } from '../../../test/support/eventually.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { connectRedisClient } from '../../../test/support/redis-client.ts';
import { settlesAtOnce } from '../../../test/support/settles-at-once.ts';
import { freshRedis } from '../../../test/support/stores.ts';
import { TcpProxy } from '../../../test/support/tcp-proxy.ts';
import { GatewayError } from '../../kernel/errors.ts';
import type { Allowance } from '../../kernel/ports/shared-state.ts';
import { RedisConnection } from './redis-connection.ts';
import { RedisSharedState } from './redis-shared-state.ts';

/** Long enough for a busy machine; each test that waits for it to be over takes as long. */
const answerMs = 1500;

test('while Redis is away every call fails at once with 503, and works again when it is back', async (t) => {
  const { state, proxy, link } = await setUp(t);
  await state.slots.begin(allowance, 0);
  proxy.stop();
  await eventually(() => (link.isUp ? undefined : true));
  await eventually(() => settlesAtOnce(assert.rejects(state.ping(), isUnavailable)));
  const calls = [
    () => state.slots.take(allowance),
    () => state.slots.giveBack(allowance),
    () => state.slots.begin(allowance, 0),
    () => state.versions.of('a'),
    () => state.versions.renew('a'),
    () => state.rateLimiter.count('one', { most: 1, seconds: 60 }),
    () => state.rateLimiter.forget('one'),
  ];
  for (const call of calls) await assert.rejects(async () => call(), isUnavailable);
  assert.equal(link.pending, 0);
  await proxy.start();
  await eventually(() => (link.isUp ? true : undefined));
  assert.equal((await state.slots.take(allowance)).outcome, 'granted');
});

test('a Redis that falls silent fails calls within the timeout, and later calls don’t wait for it', async (t) => {
  const { state, proxy, link } = await setUp(t);
  await state.slots.begin(allowance, 0);
  proxy.silence();
  const before = performance.now();
  const calls = Array.from({ length: 20 }, () =>
    assert.rejects(async () => state.slots.take(allowance), isUnavailable),
  );
  await Promise.all(calls);
  const waitedMs = performance.now() - before;
  assert.ok(waitedMs > answerMs * 0.9 && waitedMs < answerMs * 20, String(waitedMs));
  await eventually(() => settlesAtOnce(assert.rejects(state.ping(), isUnavailable)));
  const { connections } = proxy;
  await eventually(() => (proxy.connections > connections ? true : undefined));
  assert.ok(await settlesAtOnce(assert.rejects(state.ping(), isUnavailable)), 'later calls fail at once');
  assert.equal(link.pending, 0);
  proxy.speak();
  await eventually(() => (link.isUp ? true : undefined));
  assert.equal((await state.slots.take(allowance)).outcome, 'granted');
});

test('a call that was given up takes no slot when it reaches Redis after all', async (t) => {
  const { state, proxy, link } = await setUp(t);
  await state.slots.begin(allowance, 0);
  proxy.silence();
  await assert.rejects(async () => state.slots.take(allowance), isUnavailable);
  proxy.speak();
  await eventually(() => (proxy.answered.includes('late') ? true : undefined));
  await eventually(() => (link.isUp ? true : undefined));
  const slotDecision = await state.slots.take(allowance);
  assert.deepEqual({ ...slotDecision, version: '' }, { outcome: 'granted', used: 1, version: '' });
});

test('a clock of Redis that jumps ahead rejects no call', async (t) => {
  const { state, link } = await setUp(t);
  await state.slots.begin(allowance, 0);
  const [server] = link.nodes;
  assert.ok(server);
  server.redisNowMs = Date.now() - 3_600_000;
  assert.equal((await state.slots.take(allowance)).outcome, 'granted');
  assert.ok(Math.abs(server.deadlineMs - Date.now()) < 60_000);
});

test('a connection that was lost is made again for whoever asks next', async (t) => {
  const { state, proxy, changes } = await setUp(t);
  await state.slots.begin(allowance, 0);
  proxy.drop();
  await eventually(() => (changes.includes('down') ? true : undefined));
  assert.equal((await state.slots.take(allowance)).outcome, 'granted');
  assert.deepEqual(changes, ['up', 'down', 'up']);
});

test('a renewal that Redis did not get is made up for when it is back', async (t) => {
  const { state, proxy, direct } = await setUp(t);
  const before = await state.versions.of('a');
  proxy.stop();
  await assert.rejects(state.versions.renew('a'), isUnavailable);
  assert.equal(await direct.get('weir:{a}:version'), before);
  await proxy.start();
  await eventually(async () => ((await direct.get('weir:{a}:version')) === before ? undefined : true));
});

test('a server that was made read-only is left for its successor', async (t) => {
  const { state, proxy, link } = await setUp(t);
  await state.slots.begin(allowance, 0);
  proxy.reply = "-READONLY You can't write against a read only replica.\r\n";
  await assert.rejects(async () => state.slots.take(allowance), isUnavailable);
  assert.equal(link.isUp, false);
  await assert.rejects(async () => state.slots.take(allowance), isUnavailable);
  proxy.reply = undefined;
  await eventually(() => (link.isUp ? true : undefined));
  assert.equal((await state.slots.take(allowance)).outcome, 'granted');
});

test('an answer that came while this process was busy is not late', async (t) => {
  const url = await freshRedis(t);
  const link = await RedisConnection.open({ url, answerMs });
  t.after(() => link.close());
  const pong = link.send(['PING']);
  // It is sent at the end of this turn, and its answer can't be read before the next.
  await nextTurn();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, answerMs * 2);
  assert.equal(await pong, 'PONG');
  assert.ok(link.isUp);
});

test('a link that is closed ends open questions at once', async (t) => {
  const { state, proxy } = await setUp(t, 60_000);
  proxy.silence();
  const taken = assert.rejects(async () => state.slots.take(allowance), isUnavailable);
  await nextTurn();
  await state.close();
  await taken;
  await assert.rejects(state.ping(), isUnavailable);
});

test('a link that is closed while it connects stays closed', async (t) => {
  const { proxy, url } = await TcpProxy.to(t, await freshRedis(t));
  const link = await RedisConnection.open({ url, answerMs: 60_000 });
  proxy.silence();
  proxy.drop();
  await eventually(() => (link.isUp ? undefined : true));
  const waiting = assert.rejects(link.send(['PING']), isUnavailable);
  link.close();
  await waiting;
  proxy.speak();
  await assert.rejects(link.send(['PING']), isUnavailable);
  assert.equal(link.isUp, false);
});

test('a gateway may start before its Redis', async (t) => {
  const { proxy, url } = await TcpProxy.to(t, await freshRedis(t));
  proxy.stop();
  const link = await RedisConnection.open({ url, answerMs });
  t.after(() => link.close());
  await assert.rejects(link.send(['PING']), isUnavailable);
  await proxy.start();
  await eventually(() => (link.isUp ? true : undefined));
  assert.equal(await link.send(['PING']), 'PONG');
});

test('more questions than may wait are refused at once', async (t) => {
  const { link, proxy } = await setUp(t, 60_000);
  proxy.silence();
  const asked = Array.from({ length: 10_001 }, () => link.send(['PING']));
  await assert.rejects(asked.at(-1) ?? Promise.resolve(), isUnavailable);
  assert.equal(link.pending, 10_000);
  link.close();
  const answers = await Promise.allSettled(asked);
  assert.ok(answers.every(({ status }) => status === 'rejected'));
  assert.equal(link.pending, 0);
});

test('a wrong address is refused without repeating its password', async () => {
  for (const url of ['http://user:hunter2@localhost', 'redis//:hunter2@localhost', 'hunter2'])
    await assert.rejects(
      RedisConnection.open({ url }),
      (error: Error) => !`${error.stack}`.includes('hunter2'),
    );
});

const allowance: Allowance = {
  accountId: 'a',
  periodStartMs: Date.UTC(2026, 10, 1),
  periodEndMs: Date.UTC(2026, 11, 1),
  limit: 100,
  givenBackMax: 1000,
};

async function setUp(t: TestContext, waitMs = answerMs) {
  const redis = await freshRedis(t);
  const { proxy, url } = await TcpProxy.to(t, redis);
  const changes: string[] = [];
  const link = await RedisConnection.open({
    url,
    answerMs: waitMs,
    onChange: (change) => changes.push(change),
  });
  const state = new RedisSharedState(link, new ManualClock());
  const direct = await connectRedisClient(redis);
  t.after(async () => {
    await state.close();
    direct.destroy();
  });
  return { state, proxy, link, direct, changes };
}

function isUnavailable(error: unknown): boolean {
  assert.ok(GatewayError.is(error));
  assert.equal(error.code, 'storage_unavailable');
  assert.equal(error.status, 503);
  assert.equal(error.details.retryAfterSeconds, 1);
  return true;
}
