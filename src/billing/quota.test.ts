import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { FaultyUsageStore } from '../../test/support/faulty-usage-store.ts';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { connectRedisClient } from '../../test/support/redis-client.ts';
import { freshRedis } from '../../test/support/stores.ts';
import { TcpProxy } from '../../test/support/tcp-proxy.ts';
import { emptyFolder } from '../../test/support/weir-process.ts';
import { GatewayError } from '../kernel/errors.ts';
import type { Account, UsageStore } from '../kernel/ports/records.ts';
import type { SharedState, Slots } from '../kernel/ports/shared-state.ts';
import { errorEnvelope } from '../server/respond.ts';
import { MemoryAccountState } from '../storage/memory/memory-account-state.ts';
import { RedisConnection } from '../storage/redis/redis-connection.ts';
import { RedisSharedState } from '../storage/redis/redis-shared-state.ts';
import { openEmptyDatabase } from '../testing/empty-database.ts';
import { limits } from './limits.ts';
import { Quota, type QuotaDecision } from './quota.ts';
import { UsageRecorder } from './usage-recorder.ts';

const clock = new ManualClock();
const account: Account = { id: 'a', tier: 'free', period: undefined };
const november = { startMs: Date.UTC(2026, 10, 1), endMs: Date.UTC(2026, 11, 1) };
const tierLimits = { free: 100, pro: 200, team: 300 };

test('200 calls at once with 50 left let 50 through, and none after a restart', async (t) => {
  const book = await bookWith(t, 50);
  const first = start(inMemory(new MemoryAccountState(clock)), book);
  const { granted, refused } = await takeAll([first.quota], 200);
  assert.deepEqual([granted.length, refused.length], [50, 150]);
  for (const { slot: quotaSlot } of granted) {
    quotaSlot.commit();
    first.record();
  }
  assert.equal(await first.recorder.flush(60_000), true);
  const second = start(inMemory(new MemoryAccountState(clock)), book);
  assert.equal((await takeAll([second.quota], 10)).granted.length, 0);
});

test('200 calls at once on two replicas with 50 left let 50 through, and none when Redis is emptied', async (t) => {
  const book = await bookWith(t, 50);
  const url = await freshRedis(t);
  const replicas = [start(await inRedis(t, url), book), start(await inRedis(t, url), book)];
  const quotas = replicas.map(({ quota }) => quota);
  const { granted, refused } = await takeAll(quotas, 200);
  assert.deepEqual([granted.length, refused.length], [50, 150]);
  for (const [at, { slot: quotaSlot }] of granted.entries()) {
    quotaSlot.commit();
    replicas[at % 2]?.record();
  }
  for (const { recorder } of replicas) assert.equal(await recorder.flush(60_000), true);
  const admin = await connectRedisClient(url);
  await admin.flushDb();
  admin.destroy();
  assert.equal((await takeAll(quotas, 10)).granted.length, 0);
});

test('calls of a process that was killed before it stored them count', async (t) => {
  const book = await bookWith(t, 50);
  const killed = start(inMemory(new MemoryAccountState(clock)), book);
  const { granted } = await takeAll([killed.quota], 20);
  for (const { slot: quotaSlot } of granted.slice(0, 10)) {
    quotaSlot.commit();
    killed.record();
  }
  const next = start(inMemory(new MemoryAccountState(clock)), book);
  const { granted: left } = await takeAll([next.quota], 100);
  // A few were reserved ahead, never more than an eighth of what was left.
  assert.ok(left.length <= 30 && left.length >= 30 - 50 / 8, String(left.length));
  assert.equal((await next.quota.status(account)).used, 50);
});

test('calls that one replica has open or not stored count on another whose Redis was emptied', async (t) => {
  const book = await bookWith(t, 50);
  const url = await freshRedis(t);
  const [one, other] = [start(await inRedis(t, url), book), start(await inRedis(t, url), book)];
  const { granted } = await takeAll([one.quota], 20);
  for (const { slot: quotaSlot } of granted.slice(0, 10)) {
    quotaSlot.commit();
    one.record();
  }
  const admin = await connectRedisClient(url);
  await admin.flushDb();
  admin.destroy();
  const { granted: left } = await takeAll([other.quota, one.quota], 100);
  assert.ok(left.length <= 30 && left.length >= 30 - 50 / 8, String(left.length));
});

test('a count that was forgotten still knows of calls that run and of calls that are not stored', async (t) => {
  const slots = new MemoryAccountState(clock, 1);
  const { quota, record } = start(inMemory(slots), await bookWith(t, 50));
  const { granted } = await takeAll([quota], 20);
  for (const { slot: quotaSlot } of granted.slice(0, 10)) {
    quotaSlot.commit();
    record();
  }
  await slots.of('another account');
  const { granted: left } = await takeAll([quota], 100);
  assert.equal(left.length, 30);
});

test('calls that need the same count ask the database once', async (t) => {
  const book = new FaultyUsageStore(await bookWith(t, 0));
  const { quota } = start(inMemory(new MemoryAccountState(clock)), book);
  await takeAll([quota], 50);
  assert.equal(book.counts, 1);
  await quota.takeSlot({ ...account, id: 'b' });
  assert.equal(book.counts, 2);
});

test('a database that fails refuses the calls that need it, and the next ask again', async (t) => {
  const book = new FaultyUsageStore(await bookWith(t, 0));
  const { quota } = start(inMemory(new MemoryAccountState(clock)), book);
  book.afterCounted = () => {
    throw new Error('away');
  };
  await assert.rejects(Promise.all([quota.takeSlot(account), quota.takeSlot(account)]), { message: 'away' });
  book.afterCounted = () => undefined;
  assert.equal((await quota.takeSlot(account)).outcome, 'granted');
});

test('a slot that is given back can be taken again, and is settled once', async (t) => {
  const { quota } = start(inMemory(new MemoryAccountState(clock)), await bookWith(t, 99));
  const [only] = (await takeAll([quota], 2)).granted;
  assert.ok(only);
  assert.equal(quota.openSlots, 1);
  await only.slot.release();
  await only.slot.release();
  only.slot.commit();
  assert.equal(quota.openSlots, 0);
  const { granted } = await takeAll([quota], 3);
  assert.equal(granted.length, 1);
  granted[0]?.slot.commit();
  await granted[0]?.slot.release();
  assert.equal((await takeAll([quota], 3)).granted.length, 0);
});

test('a quota that is full of calls in flight is distinguished from one that is used up', async (t) => {
  const { quota, record } = start(inMemory(new MemoryAccountState(clock)), await bookWith(t, 98));
  const { granted } = await takeAll([quota], 2);
  const [first, second] = granted;
  assert.ok(first && second);
  const held = errorOf(await quota.takeSlot(account));
  assert.deepEqual([held.status, held.code], [429, 'concurrency_limit']);
  assert.equal(held.details.retryAfterSeconds, 1);
  assert.match(held.message, /2 calls in flight/);
  first.slot.commit();
  record();
  assert.match(errorOf(await quota.takeSlot(account)).message, /1 call in flight/);
  second.slot.commit();
  record();
  assert.equal(errorOf(await quota.takeSlot(account)).code, 'tier_cap_reached');
});

test('calls in flight of other processes are distinguished from used ones, too', async (t) => {
  const memory = new MemoryAccountState(clock);
  const url = await freshRedis(t);
  const homes = [
    [inMemory(memory), inMemory(memory)],
    [await inRedis(t, url), await inRedis(t, url)],
  ] as const;
  for (const [here, there] of homes) {
    const book = await bookWith(t, 98);
    const [one, two] = [start(here, book), start(there, book)];
    const { granted } = await takeAll([one.quota, two.quota], 2);
    const [first, second] = granted;
    assert.ok(first && second);
    const held = errorOf(await one.quota.takeSlot(account));
    assert.deepEqual([held.code, held.details.retryAfterSeconds], ['concurrency_limit', 1]);
    assert.match(held.message, /2 calls in flight/);
    first.slot.commit();
    one.record();
    assert.match(errorOf(await one.quota.takeSlot(account)).message, /1 call in flight/);
    second.slot.commit();
    two.record();
    // The other one takes nothing more, and says by itself that its call is over.
    const last = await eventually(async () => {
      const error = errorOf(await one.quota.takeSlot(account));
      return error.code === 'concurrency_limit' ? undefined : error;
    });
    assert.equal(last.code, 'tier_cap_reached');
  }
});

test('the error of a full quota says the cap, when it resets, and where there is more', async (t) => {
  const { quota } = start(inMemory(new MemoryAccountState(clock)), await bookWith(t, 100));
  const error = errorOf(await quota.takeSlot(account));
  assert.equal(error.code, 'tier_cap_reached');
  assert.equal(error.status, 429);
  assert.match(error.message, /\b100\b.*2026-12-01T00:00:00\.000Z/);
  assert.equal(error.details.retryAfterSeconds, (november.endMs - clock.now()) / 1000);
  assert.deepEqual(errorEnvelope(error, 'req_1').error, {
    type: 'rate_limit_error',
    message: error.message,
    code: 'tier_cap_reached',
    param: null,
    upgrade_url: 'https://weir.example/upgrade',
    resets_at: '2026-12-01T00:00:00.000Z',
  });
});

test('an account whose calls keep failing has to wait', async (t) => {
  const { quota } = start(inMemory(new MemoryAccountState(clock)), await bookWith(t, 0));
  for (let at = 0; at < limits.givenBackPerMinute; at++) {
    const decision = await quota.takeSlot(account);
    assert.ok(decision.outcome === 'granted', String(at));
    await decision.slot.release();
  }
  const error = errorOf(await quota.takeSlot(account));
  assert.deepEqual([error.code, error.status], ['too_many_failures', 429]);
  assert.equal(error.details.retryAfterSeconds, 60);
});

test('calls that were never made are no failures', async (t) => {
  const { quota } = start(inMemory(new MemoryAccountState(clock)), await bookWith(t, 99));
  for (let at = 0; at <= limits.givenBackPerMinute; at++) {
    const decision = await quota.takeSlot(account);
    assert.ok(decision.outcome === 'granted', String(at));
    await decision.slot.undo();
  }
  assert.equal(quota.openSlots, 0);
  assert.equal((await takeAll([quota], 2)).granted.length, 1);
});

test('every decision tells the version of the account', async (t) => {
  const accounts = new MemoryAccountState(clock);
  const { quota } = start(inMemory(accounts), await bookWith(t, 99));
  const version = await accounts.of('a');
  assert.deepEqual(
    [await quota.takeSlot(account), await quota.takeSlot(account)].map((decision) => [
      decision.outcome,
      decision.version,
    ]),
    [
      ['granted', version],
      ['refused', version],
    ],
  );
  await accounts.renew('a');
  assert.equal((await quota.takeSlot(account)).version, await accounts.of('a'));
});

test('an account with a paid period is counted in it, and others by the month', async (t) => {
  const paid = { startMs: clock.now() - 1000, endMs: clock.now() + 60_000 };
  const { quota } = start(inMemory(new MemoryAccountState(clock)), await bookWith(t, 100));
  assert.equal((await quota.takeSlot(account)).outcome, 'refused');
  const decision = await quota.takeSlot({ ...account, tier: 'pro', period: paid });
  assert.ok(decision.outcome === 'granted');
  assert.equal(decision.slot.periodStartMs, paid.startMs);
  assert.deepEqual(await quota.status(account), { limit: 100, used: 100, period: november });
  assert.deepEqual(await quota.status({ ...account, tier: 'team', period: paid }), {
    limit: 300,
    used: 0,
    period: paid,
  });
});

test('a new month begins with nothing', async (t) => {
  const moving = new ManualClock();
  const { quota } = start(inMemory(new MemoryAccountState(moving)), await bookWith(t, 100), moving);
  assert.equal((await quota.takeSlot(account)).outcome, 'refused');
  moving.move(november.endMs - moving.now() - 1);
  assert.equal((await quota.takeSlot(account)).outcome, 'refused');
  moving.move(1);
  assert.equal((await quota.takeSlot(account)).outcome, 'granted');
});

test('a count that never stays refuses the call instead of asking for ever', async (t) => {
  const accounts = new MemoryAccountState(clock);
  const forgetful: Slots = {
    take: (allowance) => accounts.take(allowance),
    reportInFlight: async () => undefined,
    giveBack: (allowance) => accounts.giveBack(allowance),
    undo: (allowance) => accounts.undo(allowance),
    begin: async () => undefined,
  };
  const { quota } = start({ slots: forgetful, versions: accounts }, await bookWith(t, 0));
  await assert.rejects(
    async () => quota.takeSlot(account),
    (error) => GatewayError.is(error) && error.code === 'storage_unavailable',
  );
});

test('a slot that can not be given back stays counted, and the call does not fail for it', async (t) => {
  const { proxy, url } = await TcpProxy.to(t, await freshRedis(t));
  const { quota } = start(await inRedis(t, url), await bookWith(t, 0));
  const decision = await quota.takeSlot(account);
  assert.ok(decision.outcome === 'granted');
  proxy.stop();
  await decision.slot.release();
  assert.equal(quota.unreleasedSlots, 1);
  assert.equal(quota.openSlots, 0);
  await assert.rejects(
    async () => quota.takeSlot(account),
    (error) => GatewayError.is(error) && error.code === 'storage_unavailable',
  );
});

type GrantedDecision = Extract<QuotaDecision, { outcome: 'granted' }>;

async function takeAll(quotas: readonly Quota[], times: number) {
  const decisions = await Promise.all(
    Array.from({ length: times }, (_, at) => (quotas[at % quotas.length] ?? assert.fail()).takeSlot(account)),
  );
  const granted = decisions.filter((decision): decision is GrantedDecision => decision.outcome === 'granted');
  return { granted, refused: decisions.filter(({ outcome }) => outcome === 'refused') };
}

type SharedSlots = Pick<SharedState, 'slots' | 'versions'>;

function inMemory(accounts: MemoryAccountState): SharedSlots {
  return { slots: accounts, versions: accounts };
}

/** A gateway's worth of counting, on stores that may be shared. */
function start({ slots, versions }: SharedSlots, usageStore: UsageStore, time = clock) {
  const recorder = new UsageRecorder({ usageStore, clock: time, flushMs: 3_600_000 });
  const quota = new Quota({
    slots,
    versions,
    clock: time,
    tierLimits,
    upgradeUrl: () => 'https://weir.example/upgrade',
    reservations: recorder.reservations,
    recordedCalls: (accountId, periodStartMs) => recorder.recordedCalls(accountId, periodStartMs),
    recordedAndReservedCalls: (accountId, periodStartMs) =>
      recorder.recordedAndReservedCalls(accountId, periodStartMs),
  });
  const record = () =>
    recorder.recordCall(
      {
        accountId: 'a',
        keyId: '',
        provider: 'demo',
        model: 'demo-1',
        failed: false,
        periodStartMs: november.startMs,
        usage: {},
        costNanoUsd: 0,
      },
      time.now(),
    );
  return { quota, recorder, record };
}

/** A book in which the account has made this many calls in November. */
async function bookWith(t: TestContext, calls: number): Promise<UsageStore> {
  const database = await openEmptyDatabase(emptyFolder(t));
  t.after(() => database.close());
  const counted = [{ accountId: 'a', periodStartMs: november.startMs, calls }];
  await database.usage.add({ id: 'earlier', atMs: clock.now(), days: [], counted });
  return database.usage;
}

async function inRedis(t: TestContext, url: string): Promise<SharedSlots> {
  const state = new RedisSharedState(await RedisConnection.open({ url }), clock);
  t.after(() => state.close());
  return state;
}

function errorOf(decision: QuotaDecision): GatewayError {
  assert.ok(decision.outcome === 'refused');
  return decision.error();
}
