import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { budgetsConformance } from '../../../test/conformance/budgets.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { connectRedisClient } from '../../../test/support/redis-client.ts';
import { freshRedis } from '../../../test/support/stores.ts';
import { TcpProxy } from '../../../test/support/tcp-proxy.ts';
import { GatewayError } from '../../kernel/errors.ts';
import { limits as kernelLimits } from '../../kernel/limits.ts';
import { limits } from '../limits.ts';
import { RedisBudgets } from './redis-budgets.ts';
import { RedisConnection } from './redis-connection.ts';

budgetsConformance('purses in Redis', async (t) => {
  const url = await freshRedis(t);
  const admin = await adminOf(t, url);
  const [one, other] = [await replica(t, url), await replica(t, url)];
  return {
    replicas: [one, other],
    pass: (seconds) => pass(admin, seconds),
    lose: async () => {
      await admin.flushDb();
      return one;
    },
  };
});

const holder = { accountId: 'a', keyId: 'k' };
const windows = { day: { startMs: 0, endMs: 86_400_000 }, month: { startMs: 0, endMs: 31 * 86_400_000 } };
const none = { day: 0, month: 0 };
const asked = { holder, windows, amount: 10, least: 10, ceilings: { day: 100, month: 1000 } };
const settlement = { cost: 5, windows, isRetry: false };

test('money is held and settled in one round trip each, the first included', async (t) => {
  const { proxy, url } = await TcpProxy.to(t, await freshRedis(t));
  const purses = await replica(t, url);
  await purses.begin(holder, windows, none);
  proxy.asked = '';
  const granted = await purses.hold(asked);
  assert.ok(granted.outcome === 'granted');
  await purses.settle(granted.held, settlement);
  assert.match(proxy.asked, /^\*\d+\r\n\$7\r\nEVALSHA\r\n/);
  assert.equal(proxy.asked.match(/^\*\d+\r$/gm)?.length, 2);
});

test('both keys of a purse are in one slot of a cluster, and go by themselves', async (t) => {
  const url = await freshRedis(t);
  const purses = await replica(t, url);
  const admin = await adminOf(t, url);
  await purses.begin(holder, windows, none);
  await purses.hold(asked);
  const keys = await admin.keys('*');
  assert.deepEqual(keys.sort(), ['weir:{a}:holds:k', 'weir:{a}:purse:k']);
  for (const key of keys) {
    const leftMs = await admin.pTTL(key);
    assert.ok(
      leftMs > kernelLimits.holdLifeMs && leftMs <= kernelLimits.holdLifeMs + limits.budgetIdleMs,
      key,
    );
  }
});

test('a hold that Redis lost is put back when it is renewed, before a count is begun and after', async (t) => {
  const url = await freshRedis(t);
  const purses = await replica(t, url);
  const admin = await adminOf(t, url);
  await purses.begin(holder, windows, none);
  const [one, other] = [await purses.hold(asked), await purses.hold(asked)];
  assert.ok(one.outcome === 'granted' && other.outcome === 'granted');
  await admin.flushDb();
  await purses.renew(one.held);
  await purses.begin(holder, windows, { day: 50, month: 50 });
  await purses.renew(other.held);
  await purses.renew(other.held);
  const refused = await purses.hold({ ...asked, amount: 31, least: 31 });
  assert.deepEqual(refused, { outcome: 'refused', window: 'day', spent: 50, held: 20 });
});

test('what is held is nothing where the list of holds was lost alone', async (t) => {
  const url = await freshRedis(t);
  const purses = await replica(t, url);
  const admin = await adminOf(t, url);
  await purses.begin(holder, windows, none);
  await purses.hold({ ...asked, amount: 100 });
  await admin.del('weir:{a}:holds:k');
  const granted = await purses.hold({ ...asked, amount: 100, least: 100 });
  assert.equal(granted.outcome, 'granted');
});

test('a call that was given up holds nothing when it reaches Redis after all', async (t) => {
  const { proxy, url } = await TcpProxy.to(t, await freshRedis(t));
  const link = await RedisConnection.open({ url, answerMs: 1500 });
  t.after(() => link.close());
  const purses = new RedisBudgets(link);
  await purses.begin(holder, windows, none);
  proxy.silence();
  await assert.rejects(
    purses.hold(asked),
    (error) => GatewayError.is(error) && error.code === 'storage_unavailable',
  );
  proxy.speak();
  await eventually(() => (proxy.answered.includes('late') ? true : undefined));
  await eventually(() => (link.isUp ? true : undefined));
  const refused = await purses.hold({ ...asked, amount: 101, least: 101 });
  assert.deepEqual(refused, { outcome: 'refused', window: 'day', spent: 0, held: 0 });
});

test('a clock of Redis that jumps ahead rejects no call', async (t) => {
  const link = await RedisConnection.open({ url: await freshRedis(t) });
  t.after(() => link.close());
  const purses = new RedisBudgets(link);
  await purses.begin(holder, windows, none);
  const [server] = link.nodes;
  assert.ok(server);
  server.redisNowMs = Date.now() - 3_600_000;
  assert.equal((await purses.hold(asked)).outcome, 'granted');
});

async function replica(t: TestContext, url: string): Promise<RedisBudgets> {
  const link = await RedisConnection.open({ url });
  t.after(() => link.close());
  return new RedisBudgets(link);
}

async function adminOf(t: TestContext, url: string) {
  const admin = await connectRedisClient(url);
  t.after(() => admin.destroy());
  return admin;
}

type Admin = Awaited<ReturnType<typeof adminOf>>;

/** Lets time pass: all that will be forgotten, and all that is held, is over that much sooner. */
async function pass(admin: Admin, seconds: number): Promise<void> {
  for (const key of await admin.keys('*')) {
    if ((await admin.type(key)) === 'zset')
      for (const { value } of await admin.zRangeWithScores(key, 0, -1))
        await admin.zIncrBy(key, -seconds * 1000, value);
    await admin.pExpire(key, Math.round((await admin.pTTL(key)) - seconds * 1000));
  }
}
