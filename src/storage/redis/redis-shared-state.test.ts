import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { healthConformance } from '../../../test/conformance/health.ts';
import { type SharedStateFixture, sharedStateConformance } from '../../../test/conformance/shared-state.ts';
import { advanceRedisTime } from '../../../test/support/advance-redis-time.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { connectRedisClient } from '../../../test/support/redis-client.ts';
import { freshRedis } from '../../../test/support/stores.ts';
import { TcpProxy } from '../../../test/support/tcp-proxy.ts';
import type { Allowance } from '../../kernel/ports/shared-state.ts';
import { RedisConnection } from './redis-connection.ts';
import { RedisSharedState } from './redis-shared-state.ts';

sharedStateConformance('shared state in Redis', openSharedState);
healthConformance('health in Redis', openSharedState);

async function openSharedState(t: TestContext): Promise<SharedStateFixture> {
  const url = await freshRedis(t);
  const clock = new ManualClock();
  const age = await advanceRedisTime(t, url);
  const admin = await adminOf(t, url);
  const [one, other] = [await replica(t, url, clock), await replica(t, url, clock)];
  return {
    replicas: [one, other],
    nowMs: clock.now(),
    pass: async (seconds) => {
      clock.move(seconds * 1000);
      await age(seconds);
    },
    lose: async () => {
      await admin.flushDb();
      return one;
    },
  };
}

test('a slot is taken in one round trip, the first included', async (t) => {
  const redis = await freshRedis(t);
  const admin = await adminOf(t, redis);
  await admin.scriptFlush();
  const { proxy, url } = await TcpProxy.to(t, redis);
  const state = await replica(t, url);
  await state.slots.begin(allowance, 0);
  proxy.asked = '';
  assert.equal((await state.slots.take(allowance)).outcome, 'granted');
  assert.match(proxy.asked, /^\*\d+\r\n\$7\r\nEVALSHA\r\n/);
  assert.equal(proxy.asked.match(/^\*\d+\r$/gm)?.length, 1);
});

test('a server that lost its scripts gets them again', async (t) => {
  const url = await freshRedis(t);
  const state = await replica(t, url);
  const admin = await adminOf(t, url);
  await state.slots.begin(allowance, 0);
  await admin.scriptFlush();
  assert.equal((await state.slots.take(allowance)).outcome, 'granted');
});

test('all keys of an account are in one slot of a cluster, and go by themselves', async (t) => {
  const url = await freshRedis(t);
  const state = await replica(t, url);
  const admin = await adminOf(t, url);
  await state.slots.begin(allowance, 0);
  await state.slots.take(allowance);
  await state.slots.giveBack(allowance);
  await state.versions.renew('a');
  const keys = await admin.keys('*');
  assert.equal(keys.length, 4);
  for (const key of keys) {
    assert.match(key, /^weir:\{a\}:/);
    assert.ok((await admin.pTTL(key)) > 0, key);
  }
  await state.rateLimiter.count('ada@example.com', { most: 1, seconds: 60 });
  const [attempts = ''] = (await admin.keys('*')).filter((key) => !keys.includes(key));
  assert.match(attempts, /^weir:attempts:[\w-]{43}$/);
  assert.ok((await admin.pTTL(attempts)) > 0);
});

test('a count goes an hour after its period, by the clock of the gateway', async (t) => {
  const url = await freshRedis(t);
  const clock = new ManualClock();
  clock.move(Date.UTC(2020, 0, 1) - clock.now());
  const state = await replica(t, url, clock);
  const admin = await adminOf(t, url);
  const period = { periodStartMs: clock.now(), periodEndMs: clock.now() + 86_400_000 };
  await state.slots.begin({ ...allowance, ...period }, 0);
  const leftMs = await admin.pTTL(`weir:{a}:calls:${period.periodStartMs}`);
  assert.ok(leftMs > 24 * 3_600_000 && leftMs <= 25 * 3_600_000, String(leftMs));
});

const allowance: Allowance = {
  accountId: 'a',
  periodStartMs: Date.UTC(2026, 10, 1),
  periodEndMs: Date.UTC(2026, 11, 1),
  limit: 100,
  givenBackMax: 1000,
};

async function replica(t: TestContext, url: string, clock = new ManualClock()): Promise<RedisSharedState> {
  const state = new RedisSharedState(await RedisConnection.open({ url }), clock);
  t.after(() => state.close());
  return state;
}

async function adminOf(t: TestContext, url: string) {
  const admin = await connectRedisClient(url);
  t.after(() => admin.destroy());
  return admin;
}
