import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { connectRedisClient } from '../../test/support/redis-client.ts';
import { freshRedis } from '../../test/support/stores.ts';
import { TcpProxy } from '../../test/support/tcp-proxy.ts';
import { GatewayError } from '../kernel/errors.ts';
import { limits } from '../kernel/limits.ts';
import type { Budgets, Hold, HoldDecision } from '../kernel/ports/budget.ts';
import type { Reservation, TagDay, UsageDay } from '../kernel/ports/records.ts';
import { MemoryBudgets } from '../storage/memory/memory-budgets.ts';
import { RedisBudgets } from '../storage/redis/redis-budgets.ts';
import { RedisConnection } from '../storage/redis/redis-connection.ts';
import { Reservations } from './reservations.ts';
import { SpendingLimiter } from './spending-limiter.ts';

const holder = { accountId: 'a', keyId: 'k' };
const wish = (amount: number, day = 100) => ({ amount, least: amount, ceilings: { day, month: 10_000 } });

function row(day: string, costNanoUsd: number, keyId = 'k'): UsageDay {
  const nothing = {
    requests: 1,
    failed: 0,
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
  };
  return { accountId: 'a', day, keyId, provider: 'p', model: 'm', ...nothing, costNanoUsd };
}

function setUp(rows: readonly UsageDay[] = [], tagRows: readonly TagDay[] = []) {
  const clock = new ManualClock();
  const asked: object[] = [];
  const days = async (question: object) => {
    asked.push(question);
    return rows;
  };
  const spendingOn = (budgets: Budgets) =>
    new SpendingLimiter({
      budgets,
      clock,
      reservations: reservationsAt(clock),
      days,
      tags: async ({ tag }) => tagRows.filter((one) => one.tag === tag),
      budgetHours: async () => [],
      retryMs: 20,
    });
  return { clock, asked, spendingOn, spending: spendingOn(new MemoryBudgets(clock)) };
}

/** With a database without other accounts. */
function reservationsAt(clock: ManualClock): Reservations {
  return new Reservations({
    usageStore: { reserve: async () => undefined, reserved: async () => [] },
    clock,
  });
}

function holdIn(decision: HoldDecision): Hold {
  assert.ok(decision.outcome === 'granted', decision.outcome);
  return decision.hold;
}

test('a count begins with what the key has spent, today and in this month', async () => {
  const rows = [
    row('2026-11-01', 40),
    row('2026-11-15', 5),
    row('2026-11-15', 6),
    row('2026-11-15', 700, 'other'),
  ];
  const { spending: spendingLimiter, asked } = setUp(rows);
  const decision = await spendingLimiter.budgetFor(holder).hold(wish(1));
  assert.ok(decision.outcome === 'granted');
  assert.deepEqual(decision.spent, { day: 11, month: 51 });
  assert.deepEqual(asked, [{ accountId: 'a', from: '2026-11-01', to: '2026-11-15' }]);
});

test('a tag has a budget of its own, which begins with what calls with it have spent', async () => {
  const tagged = (day: string, tag: string, value: string, costNanoUsd: number): TagDay => {
    const { keyId, provider, model, ...sums } = row(day, costNanoUsd);
    return { ...sums, tag, value };
  };
  const [yesterday, today] = ['2026-11-14', '2026-11-15'];
  const { spending: spendingLimiter } = setUp(
    [row(yesterday, 500), row(today, 60), row(today, 7, 'other')],
    [
      tagged(today, 'team', 'search', 20),
      tagged(yesterday, 'team', 'search', 100),
      tagged(today, 'team', 'ads', 10),
      tagged(yesterday, 'team', '', 200),
      tagged(yesterday, 'env', 'prod', 400),
    ],
  );
  const spent = async (name: string, value: string) => {
    const decision = await spendingLimiter.budgetFor(holder).hold({ ...wish(1), tag: { name, value } });
    assert.ok(decision.outcome === 'granted');
    await decision.hold.settle(0);
    return decision.spent;
  };
  assert.deepEqual(await spent('team', 'search'), { day: 20, month: 120 });
  // Its sum of yesterday may be among those of all further values.
  assert.deepEqual(await spent('team', 'ads'), { day: 10, month: 210 });
  assert.deepEqual(await spent('team', 'new'), { day: 0, month: 200 });
  assert.deepEqual(await spent('team', ''), { day: 37, month: 237 });
  assert.deepEqual(await spent('env', ''), { day: 67, month: 167 });
  const { hold } = spendingLimiter.budgetFor(holder);
  await holdIn(await hold({ ...wish(50), tag: { name: 'team', value: 'search' } })).settle(50);
  assert.deepEqual(await spent('team', 'search'), { day: 70, month: 170 });
  assert.deepEqual(await spent('team', 'ads'), { day: 10, month: 210 });
});

test('many who need the same count ask the database once', async () => {
  const { spending: spendingLimiter, asked } = setUp([row('2026-11-15', 60)]);
  const decisions = await Promise.all(
    Array.from({ length: 50 }, () => spendingLimiter.budgetFor(holder).hold(wish(10))),
  );
  assert.equal(decisions.filter(({ outcome }) => outcome === 'granted').length, 4);
  assert.equal(asked.length, 1);
  assert.equal(spendingLimiter.openHolds, 4);
});

test('a refusal tells when its window ends', async () => {
  const { spending: spendingLimiter } = setUp([row('2026-11-02', 9999)]);
  const budget = spendingLimiter.budgetFor(holder);
  const day = await budget.hold({ amount: 101, least: 101, ceilings: { day: 100 } });
  assert.ok(day.outcome === 'refused');
  assert.deepEqual([day.window, day.endsAtMs], ['day', Date.UTC(2026, 10, 16)]);
  const month = await budget.hold(wish(2));
  assert.ok(month.outcome === 'refused');
  assert.deepEqual([month.window, month.endsAtMs, month.spent], ['month', Date.UTC(2026, 11, 1), 9999]);
});

test('a hold is settled once', async () => {
  const { spending: spendingLimiter } = setUp();
  const budget = spendingLimiter.budgetFor(holder);
  const hold = holdIn(await budget.hold(wish(10)));
  await Promise.all([hold.settle(4), hold.settle(0), hold.settle(100)]);
  assert.equal(spendingLimiter.openHolds, 0);
  const decision = await budget.hold(wish(97));
  assert.ok(decision.outcome === 'refused' && decision.spent === 4 && decision.held === 0);
});

test('a cost that can’t be true counts as what was held', async () => {
  const { spending: spendingLimiter } = setUp();
  const budget = spendingLimiter.budgetFor(holder);
  for (const cost of [Number.NaN, -5, 0.5, Number.POSITIVE_INFINITY, 1e15])
    await holdIn(await budget.hold(wish(10))).settle(cost);
  const decision = await budget.hold(wish(51));
  assert.ok(decision.outcome === 'refused' && decision.spent === 50);
});

test('a cost counts on the day on which its call ended', async () => {
  const { spending: spendingLimiter, clock } = setUp();
  const budget = spendingLimiter.budgetFor(holder);
  clock.move(11.5 * 3_600_000);
  const hold = holdIn(await budget.hold(wish(10)));
  await holdIn(await budget.hold(wish(80))).settle(80);
  clock.move(3_600_000);
  await hold.settle(9);
  const decision = await budget.hold(wish(92));
  assert.ok(decision.outcome === 'refused' && decision.spent === 9);
});

test('a Redis that lost its data gets the spent and held amounts again', async (t) => {
  const url = await freshRedis(t);
  const admin = await connectRedisClient(url);
  t.after(() => admin.destroy());
  const { spendingOn } = setUp([row('2026-11-15', 50)]);
  const spendingLimiter = spendingOn(new RedisBudgets(await linkTo(t, url)));
  const budget = spendingLimiter.budgetFor(holder);
  const hold = holdIn(await budget.hold(wish(20)));
  await admin.flushDb();
  const refused = await budget.hold(wish(31));
  assert.ok(refused.outcome === 'refused' && refused.spent === 50 && refused.held === 20);
  await hold.settle(7);
  const after = await budget.hold(wish(44));
  assert.ok(after.outcome === 'refused' && after.spent === 57 && after.held === 0);
});

test('what a killed process or another replica has reserved counts as spent, in its day and its month', async () => {
  const { clock } = setUp();
  const reserved = (amount: number, atMs: number): Reservation => ({
    processId: `process ${amount}`,
    accountId: 'a',
    of: 'spending',
    keyId: 'k',
    periodStartMs: 0,
    amount,
    atMs,
    untilMs: 1e13,
  });
  const rows = [
    reserved(1, clock.now()),
    reserved(20, Date.UTC(2026, 10, 14, 12)),
    reserved(300, Date.UTC(2026, 9, 31)),
  ];
  const usageStore = { reserve: async () => undefined, reserved: async () => rows };
  const reservations = new Reservations({ usageStore, clock });
  const days = async () => [row('2026-11-15', 50)];
  const spendingLimiter = new SpendingLimiter({
    budgets: new MemoryBudgets(clock),
    clock,
    reservations,
    days,
    tags: async () => [],
    budgetHours: async () => [],
  });
  const decision = await spendingLimiter.budgetFor(holder).hold(wish(1));
  assert.ok(decision.outcome === 'granted');
  assert.deepEqual(decision.spent, { day: 51, month: 71 });
});

test('what a call may cost is in the database before it is made, and its cost until that is stored', async () => {
  const { clock } = setUp();
  const written: number[] = [];
  const usageStore = {
    reserve: async (rows: readonly Reservation[]) => {
      written.push(...rows.map(({ amount }) => amount));
    },
    reserved: async () => [],
  };
  const reservations = new Reservations({ usageStore, clock });
  const spendingLimiter = new SpendingLimiter({
    budgets: new MemoryBudgets(clock),
    clock,
    reservations,
    days: async () => [],
    tags: async () => [],
    budgetHours: async () => [],
  });
  const budget = spendingLimiter.budgetFor(holder);
  const hold = holdIn(await budget.hold(wish(20)));
  assert.deepEqual(written, [20]);
  const page = reservations.startBatch();
  await hold.settle(7);
  assert.equal((await budget.hold(wish(94))).outcome, 'refused');
  assert.deepEqual(written, [20]);
  await reservations.storeBatch(page, async (rows) => {
    written.push(...rows.map(({ amount }) => amount));
  });
  assert.deepEqual(written, [20, 0]);
  assert.equal(spendingLimiter.openHolds, 0);
});

test('a settlement that Redis did not get is made up for when it is back', async (t) => {
  const { proxy, url } = await TcpProxy.to(t, await freshRedis(t));
  const { spendingOn } = setUp();
  const link = await linkTo(t, url);
  const spendingLimiter = spendingOn(new RedisBudgets(link));
  const budget = spendingLimiter.budgetFor(holder);
  const hold = holdIn(await budget.hold(wish(20)));
  proxy.stop();
  await hold.settle(7);
  assert.equal(spendingLimiter.openHolds, 1);
  await assert.rejects(budget.hold(wish(1)), isUnavailable);
  assert.equal(await spendingLimiter.close(1), false);
  await proxy.start();
  await eventually(() => (link.isUp ? true : undefined));
  holdIn(await budget.hold(wish(1)));
  await eventually(() => (spendingLimiter.openHolds === 1 ? true : undefined));
  const decision = await budget.hold(wish(99));
  assert.ok(decision.outcome === 'refused' && decision.spent === 7 && decision.held === 1);
});

test('holds of calls that go on are renewed, and put back where Redis lost them', async (t) => {
  const url = await freshRedis(t);
  const admin = await connectRedisClient(url);
  t.after(() => admin.destroy());
  const { clock } = setUp();
  const budgets = new RedisBudgets(await linkTo(t, url));
  const spendingLimiter = new SpendingLimiter({
    budgets,
    clock,
    reservations: reservationsAt(clock),
    days: async () => [],
    tags: async () => [],
    budgetHours: async () => [],
    retryMs: 10,
    renewalMs: 0,
  });
  const hold = holdIn(await spendingLimiter.budgetFor(holder).hold(wish(20)));
  const untilMs = async () => (await admin.zRangeWithScores('weir:{a}:holds:k', 0, -1))[0]?.score ?? 0;
  const first = await untilMs();
  await eventually(async () => ((await untilMs()) > first ? true : undefined));
  await admin.flushDb();
  await eventually(async () => ((await untilMs()) > 0 ? true : undefined));
  await hold.settle(0);
  assert.equal(await untilMs(), 0);
});

test('a call that the store has not heard of for too long counts as all that was held, once', async () => {
  const { clock, spendingOn } = setUp();
  const purses = new MemoryBudgets(clock);
  const [cutOff, other] = [spendingOn(purses), spendingOn(purses)];
  const hold = holdIn(await cutOff.budgetFor(holder).hold(wish(40)));
  clock.move(limits.holdLifeMs);
  const stillHeld = async () => {
    const decision = await other.budgetFor(holder).hold(wish(61));
    assert.ok(decision.outcome === 'refused', decision.outcome);
    return [decision.spent, decision.held];
  };
  assert.deepEqual(await stillHeld(), [40, 0]);
  await hold.settle(15);
  assert.deepEqual([await stillHeld(), cutOff.openHolds], [[40, 0], 0]);
});

test('a gateway that stops waits for settlements that are on their way', async (t) => {
  const { spendingOn } = setUp();
  const spendingLimiter = spendingOn(new RedisBudgets(await linkTo(t, await freshRedis(t))));
  const holds = await Promise.all(
    Array.from({ length: 10 }, () => spendingLimiter.budgetFor(holder).hold(wish(10)).then(holdIn)),
  );
  for (const hold of holds) void hold.settle(1);
  assert.equal(spendingLimiter.openHolds, 10);
  assert.equal(await spendingLimiter.close(10_000), true);
  assert.equal(spendingLimiter.openHolds, 0);
});

test('two replicas on one Redis never pass a ceiling together', async (t) => {
  const url = await freshRedis(t);
  const { spendingOn } = setUp([row('2026-11-15', 1000)]);
  const replicas = [
    spendingOn(new RedisBudgets(await linkTo(t, url))),
    spendingOn(new RedisBudgets(await linkTo(t, url))),
  ];
  let [now, most, spent] = [0, 0, 1000];
  await Promise.all(
    Array.from({ length: 500 }, async (_, at) => {
      const budget = replicas[at % 2]?.budgetFor(holder);
      const decision = await budget?.hold(wish(10, 2000));
      if (decision?.outcome !== 'granted') return;
      now += 10;
      most = Math.max(most, spent + now);
      const cost = at % 3 === 0 ? 10 : 0;
      now -= 10;
      spent += cost;
      await decision.hold.settle(cost);
    }),
  );
  assert.ok(spent <= 2000 && most <= 2000, `${spent} ${most}`);
  const last = await replicas[0]?.budgetFor(holder).hold(wish(1, 0));
  assert.ok(last?.outcome === 'refused' && last.spent === spent && last.held === 0);
});

async function linkTo(t: TestContext, url: string): Promise<RedisConnection> {
  const link = await RedisConnection.open({ url });
  t.after(() => link.close());
  return link;
}

function isUnavailable(error: unknown): boolean {
  return GatewayError.is(error) && error.code === 'storage_unavailable';
}
