import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { limits as kernelLimits } from '../../src/kernel/limits.ts';
import type { CallLimits } from '../../src/kernel/ports/call-rates.ts';
import type { Allowance, SharedState, SlotDecision } from '../../src/kernel/ports/shared-state.ts';
import { limits as storageLimits } from '../../src/storage/limits.ts';

/** A home of shared state for one test. */
export interface SharedStateFixture {
  /** As two replicas see it; the same object twice where there is only one process. */
  readonly replicas: readonly [SharedState, SharedState];
  readonly nowMs: number;
  pass(seconds: number): void | Promise<void>;
  /** All that it knows is gone; answers with how a replica sees it then. */
  lose(): Promise<SharedState>;
}

const day = 86_400;

/** What every home of shared state must do, whatever it is made of. */
export function sharedStateConformance(
  name: string,
  open: (t: TestContext) => SharedStateFixture | Promise<SharedStateFixture>,
): void {
  const setUp = async (t: TestContext, changes: Partial<Allowance> = {}) => {
    const home = await open(t);
    const allowance: Allowance = {
      accountId: 'a',
      periodStartMs: home.nowMs - day * 1000,
      periodEndMs: home.nowMs + day * 1000,
      limit: 100,
      givenBackMax: 1000,
      ...changes,
    };
    const [state, other] = home.replicas;
    return { ...home, state, other, allowance };
  };

  describe(name, () => {
    test('no more slots than the limit are granted, however many calls take them at once on two replicas', async (t) => {
      const { state, other, allowance } = await setUp(t);
      await state.slots.begin(allowance, 50);
      const taken = await Promise.all(
        Array.from({ length: 200 }, (_, at) => (at % 2 ? state : other).slots.take(allowance)),
      );
      assert.equal(taken.filter(({ outcome }) => outcome === 'granted').length, 50);
      assert.equal(taken.filter(({ outcome }) => outcome === 'full').length, 150);
      const used = taken.flatMap((one) => (one.outcome === 'granted' ? [one.used] : []));
      assert.deepEqual(
        used.sort((a, b) => a - b),
        Array.from({ length: 50 }, (_, at) => 51 + at),
      );
    });

    test('a slot that is given back can be taken by another call', async (t) => {
      const { state, other, allowance } = await setUp(t, { limit: 1 });
      await state.slots.begin(allowance, 0);
      assert.equal(describeOutcome(await state.slots.take(allowance)), 'granted 1');
      assert.equal(describeOutcome(await other.slots.take(allowance)), 'full 1');
      await other.slots.giveBack(allowance);
      assert.equal(describeOutcome(await state.slots.take(allowance)), 'granted 1');
    });

    test('a count never falls below nothing', async (t) => {
      const { state, allowance } = await setUp(t, { limit: 1 });
      await state.slots.begin(allowance, 0);
      await state.slots.giveBack(allowance);
      assert.equal(describeOutcome(await state.slots.take(allowance)), 'granted 1');
      assert.equal(describeOutcome(await state.slots.take(allowance)), 'full 1');
    });

    test('a count is begun once, and what others would begin with is left aside', async (t) => {
      const { state, other, allowance } = await setUp(t);
      assert.equal(describeOutcome(await state.slots.take(allowance)), 'uncounted');
      await Promise.all([state.slots.begin(allowance, 7), other.slots.begin(allowance, 7)]);
      assert.equal(describeOutcome(await other.slots.take(allowance)), 'granted 8');
      await state.slots.begin(allowance, 0);
      assert.equal(describeOutcome(await other.slots.take(allowance)), 'granted 9');
    });

    test('releasing an unknown slot starts no count', async (t) => {
      const { state, allowance } = await setUp(t);
      await state.slots.giveBack(allowance);
      assert.equal(describeOutcome(await state.slots.take(allowance)), 'uncounted');
    });

    test('accounts and periods are counted apart', async (t) => {
      const { state, allowance } = await setUp(t, { limit: 1 });
      const nextPeriod = { ...allowance, periodStartMs: allowance.periodEndMs };
      const neighbour = { ...allowance, accountId: 'b' };
      await state.slots.begin(allowance, 0);
      assert.equal(describeOutcome(await state.slots.take(allowance)), 'granted 1');
      assert.equal(describeOutcome(await state.slots.take(nextPeriod)), 'uncounted');
      assert.equal(describeOutcome(await state.slots.take(neighbour)), 'uncounted');
      await state.slots.begin(nextPeriod, 0);
      await state.slots.giveBack(allowance);
      assert.equal(describeOutcome(await state.slots.take(nextPeriod)), 'granted 1');
      assert.equal(describeOutcome(await state.slots.take(allowance)), 'granted 1');
    });

    test('a limit that was raised or lowered holds from the next call on', async (t) => {
      const { state, allowance } = await setUp(t, { limit: 1 });
      await state.slots.begin(allowance, 1);
      assert.equal(describeOutcome(await state.slots.take(allowance)), 'full 1');
      assert.equal(describeOutcome(await state.slots.take({ ...allowance, limit: 2 })), 'granted 2');
      assert.equal(describeOutcome(await state.slots.take({ ...allowance, limit: 1 })), 'full 2');
    });

    test('after too many calls were given back, a minute passes before the next', async (t) => {
      const { state, other, allowance, pass } = await setUp(t, { givenBackMax: 3 });
      await state.slots.begin(allowance, 0);
      for (let at = 0; at < 3; at++) {
        assert.equal(describeOutcome(await other.slots.take(allowance)), 'granted 1');
        await state.slots.giveBack(allowance);
      }
      const slotDecision = await other.slots.take(allowance);
      assert.equal(slotDecision.outcome, 'failing');
      const wait = slotDecision.outcome === 'failing' ? slotDecision.retryAfterSeconds : 0;
      assert.ok(Number.isInteger(wait) && wait > 30 && wait <= 60, String(wait));
      assert.equal((await state.slots.take({ ...allowance, accountId: 'b' })).outcome, 'uncounted');
      await pass(61);
      assert.equal(describeOutcome(await other.slots.take(allowance)), 'granted 1');
    });

    test('a count that is full tells how much of it processes have under way', async (t) => {
      const { state, other, allowance } = await setUp(t, { limit: 4 });
      await state.slots.begin(allowance, 1);
      await state.slots.take(allowance, { processId: 'one', calls: 1 });
      await state.slots.take(allowance, { processId: 'one', calls: 2 });
      await other.slots.take(allowance, { processId: 'two', calls: 1 });
      const held = async (processId: string, calls: number) => {
        const slotDecision = await other.slots.take(allowance, { processId, calls });
        return slotDecision.outcome === 'full' ? slotDecision.held : slotDecision.outcome;
      };
      assert.equal(await held('three', 1), 3, 'the call that is refused is none of them');
      assert.equal(await held('two', 1), 2);
      await state.slots.reportInFlight(allowance, { processId: 'one', calls: 0 });
      assert.equal(await held('two', 2), 1);
      assert.equal(await held('two', 100), 4, 'no more than are used');
      await other.slots.reportInFlight({ ...allowance, accountId: 'b' }, { processId: 'two', calls: 3 });
      assert.equal(await held('two', 1), 0);
    });

    test('what a process had under way is forgotten when it has not said so for a while', async (t) => {
      const { state, other, allowance, pass } = await setUp(t, { limit: 2 });
      await state.slots.begin(allowance, 0);
      await state.slots.take(allowance, { processId: 'killed', calls: 1 });
      await other.slots.take(allowance, { processId: 'living', calls: 1 });
      await pass(storageLimits.inFlightLifeMs / 2000);
      await other.slots.reportInFlight(allowance, { processId: 'living', calls: 1 });
      await pass(storageLimits.inFlightLifeMs / 2000 + 1);
      const slotDecision = await state.slots.take(allowance);
      assert.ok(slotDecision.outcome === 'full', slotDecision.outcome);
      assert.deepEqual([slotDecision.used, slotDecision.held], [2, 1]);
    });

    test('calls that were never made leave no trace', async (t) => {
      const { state, other, allowance } = await setUp(t, { limit: 1, givenBackMax: 1 });
      await state.slots.begin(allowance, 0);
      for (let at = 0; at < 5; at++) {
        assert.equal(describeOutcome(await state.slots.take(allowance)), 'granted 1');
        await other.slots.undo(allowance);
      }
      await state.slots.undo(allowance);
      assert.equal(describeOutcome(await state.slots.take(allowance)), 'granted 1');
      assert.equal(describeOutcome(await state.slots.take(allowance)), 'full 1');
    });

    test('a count lasts as long as its period and a while longer', async (t) => {
      const { state, allowance, pass } = await setUp(t, { limit: 1 });
      await state.slots.begin(allowance, 1);
      await pass(day + kernelLimits.countGraceMs / 1000 - 600);
      assert.equal(describeOutcome(await state.slots.take(allowance)), 'full 1');
      await pass(601);
      assert.equal(describeOutcome(await state.slots.take(allowance)), 'uncounted');
    });

    test('a version stays until it is renewed, on every replica', async (t) => {
      const { state, other, allowance } = await setUp(t);
      const first = await state.versions.of('a');
      assert.equal(await other.versions.of('a'), first);
      assert.equal((await other.slots.take(allowance)).version, first);
      await other.versions.renew('a');
      const second = await state.versions.of('a');
      assert.notEqual(second, first);
      assert.equal((await state.slots.take(allowance)).version, second);
      await state.versions.renew('a');
      assert.ok(![first, second].includes((await other.slots.take(allowance)).version));
    });

    test('every outcome tells the version', async (t) => {
      const { state, allowance } = await setUp(t, { limit: 1, givenBackMax: 1 });
      const { version } = await state.slots.take(allowance);
      assert.equal(await state.versions.of('a'), version);
      await state.slots.begin(allowance, 0);
      const [granted, full] = [await state.slots.take(allowance), await state.slots.take(allowance)];
      await state.slots.giveBack(allowance);
      const failing = await state.slots.take(allowance);
      assert.deepEqual([granted, full, failing].map(describeOutcome), ['granted 1', 'full 1', 'failing']);
      assert.deepEqual(
        new Set([granted, full, failing].map((slotDecision) => slotDecision.version)),
        new Set([version]),
      );
    });

    test('accounts have versions of their own', async (t) => {
      const { state } = await setUp(t);
      const [a, b] = [await state.versions.of('a'), await state.versions.of('b')];
      await state.versions.renew('a');
      assert.equal(await state.versions.of('b'), b);
      assert.notEqual(await state.versions.of('a'), a);
    });

    test('what is lost is counted anew, under a version that never was', async (t) => {
      const { state, allowance, lose } = await setUp(t);
      const before = await state.versions.of('a');
      await state.slots.begin(allowance, 3);
      const left = await lose();
      const slotDecision = await left.slots.take(allowance);
      assert.equal(slotDecision.outcome, 'uncounted');
      assert.notEqual(slotDecision.version, before);
    });

    test('tries are counted in a window that begins with the first', async (t) => {
      const { state, other, pass } = await setUp(t);
      const limit = { most: 3, seconds: 600 };
      assert.equal(await state.rateLimiter.count('one', limit), 0);
      await pass(300);
      assert.equal(await other.rateLimiter.count('one', limit), 0);
      assert.equal(await state.rateLimiter.count('one', limit), 0);
      const wait = await other.rateLimiter.count('one', limit);
      assert.ok(Number.isInteger(wait) && wait > 200 && wait <= 300, String(wait));
      assert.equal(await state.rateLimiter.count('another', limit), 0);
      await pass(301);
      assert.equal(await state.rateLimiter.count('one', limit), 0);
    });

    test('tries that are forgotten count no more', async (t) => {
      const { state, other } = await setUp(t);
      const limit = { most: 1, seconds: 600 };
      await state.rateLimiter.count('one', limit);
      assert.ok((await state.rateLimiter.count('one', limit)) > 0);
      await other.rateLimiter.forget('one');
      assert.equal(await state.rateLimiter.count('one', limit), 0);
    });

    test('no more than the limit of tries get through at once', async (t) => {
      const { state, other } = await setUp(t);
      const limit = { most: 5, seconds: 600 };
      const waits = await Promise.all(
        Array.from({ length: 50 }, (_, at) => (at % 2 ? state : other).rateLimiter.count('one', limit)),
      );
      assert.equal(waits.filter((wait) => wait === 0).length, 5);
    });

    const count = { scope: 'account:a', name: 'tokens' };
    const perMinute = (amount: number, limit = 10) => ({ amount, limit, windowMs: 60_000 });

    test('an amount is counted if it fits, and leaves the count alone if not', async (t) => {
      const { state, other } = await setUp(t);
      const first = await state.counters.add(count, perMinute(6));
      assert.deepEqual([first.isAllowed, first.count], [true, 6]);
      assert.ok(first.leftMs > 59_000 && first.leftMs <= 60_000, String(first.leftMs));
      const tooMuch = await other.counters.add(count, perMinute(5));
      assert.deepEqual([tooMuch.isAllowed, tooMuch.count, tooMuch.window], [false, 6, first.window]);
      const rest = await other.counters.add(count, perMinute(4));
      assert.deepEqual([rest.isAllowed, rest.count], [true, 10]);
    });

    test('a count is read without counting', async (t) => {
      const { state, other } = await setUp(t);
      assert.deepEqual(await state.counters.add(count, perMinute(0)), {
        isAllowed: true,
        count: 0,
        window: '',
        leftMs: 0,
      });
      await state.counters.add(count, perMinute(9));
      assert.equal((await other.counters.add(count, perMinute(0))).isAllowed, true);
      await state.counters.add(count, perMinute(1));
      const full = await other.counters.add(count, perMinute(0));
      assert.deepEqual([full.isAllowed, full.count], [false, 10]);
    });

    test('no more than the limit is counted, however many count at once on two replicas', async (t) => {
      const { state, other } = await setUp(t);
      const states = await Promise.all(
        Array.from({ length: 100 }, (_, at) =>
          (at % 2 ? state : other).counters.add(count, perMinute(2, 50)),
        ),
      );
      assert.equal(states.filter(({ isAllowed }) => isAllowed).length, 25);
      assert.equal((await state.counters.add(count, perMinute(0))).count, 50);
    });

    test('a window begins with its first amount and ends once', async (t) => {
      const { state, other, pass } = await setUp(t);
      const first = await state.counters.add(count, perMinute(10));
      await pass(40);
      const later = await other.counters.add(count, perMinute(1));
      assert.ok(!later.isAllowed && later.leftMs > 18_000 && later.leftMs <= 20_000, String(later.leftMs));
      await pass(21);
      const next = await other.counters.add(count, perMinute(3));
      assert.deepEqual([next.isAllowed, next.count], [true, 3]);
      assert.notEqual(next.window, first.window);
    });

    test('a correction changes its own window only, and no count falls below nothing', async (t) => {
      const { state, other, pass } = await setUp(t);
      const { window } = await state.counters.add(count, perMinute(8));
      await other.counters.correct(count, { window, change: -5 });
      assert.equal((await state.counters.add(count, perMinute(0))).count, 3);
      await state.counters.correct(count, { window, change: 20 });
      const over = await other.counters.add(count, perMinute(0));
      assert.deepEqual([over.isAllowed, over.count], [false, 23]);
      await state.counters.correct(count, { window, change: -100 });
      assert.equal((await state.counters.add(count, perMinute(0))).count, 0);
      await pass(61);
      await state.counters.add(count, perMinute(4));
      await state.counters.correct(count, { window, change: -4 });
      assert.equal((await other.counters.add(count, perMinute(0))).count, 4);
    });

    test('scopes and names are counted apart', async (t) => {
      const { state } = await setUp(t);
      await state.counters.add(count, perMinute(10));
      for (const one of [
        { ...count, scope: 'account:b' },
        { ...count, name: 'requests' },
      ])
        assert.equal((await state.counters.add(one, perMinute(1))).count, 1);
    });

    test('a slot is taken once for each holder, and free again when it is released or expires', async (t) => {
      const { state, other, pass } = await setUp(t);
      const take = (from: SharedState, holder: string) =>
        from.counters.takeSlot(count, { holder, limit: 2, lifeMs: 60_000 });
      assert.deepEqual(await take(state, 'one'), { isAllowed: true, count: 1 });
      assert.deepEqual(await take(other, 'two'), { isAllowed: true, count: 2 });
      assert.deepEqual(await take(other, 'three'), { isAllowed: false, count: 2 });
      assert.deepEqual(await take(state, 'two'), { isAllowed: true, count: 2 });
      await other.counters.releaseSlot(count, 'one');
      assert.deepEqual(await take(state, 'three'), { isAllowed: true, count: 2 });
      await pass(40);
      assert.deepEqual(await take(state, 'three'), { isAllowed: true, count: 2 });
      await pass(40);
      assert.deepEqual(await take(other, 'four'), { isAllowed: true, count: 2 });
      assert.equal((await state.counters.add(count, perMinute(1))).count, 1);
    });

    test('no more slots than the limit are taken at once', async (t) => {
      const { state, other } = await setUp(t);
      const states = await Promise.all(
        Array.from({ length: 50 }, (_, at) =>
          (at % 2 ? state : other).counters.takeSlot(count, { holder: `h${at}`, limit: 5, lifeMs: 60_000 }),
        ),
      );
      assert.equal(states.filter(({ isAllowed }) => isAllowed).length, 5);
    });

    const caller = { scope: 'account:a', name: 'key' };
    let calls = 0;
    const take = (from: SharedState, limits: CallLimits, tokens = 1, id = `call ${++calls}`) =>
      from.callRates.take(caller, { id, lifeMs: 60_000, limits, tokens });
    const all = { requestsPerMinute: 3, tokensPerMinute: 100, concurrent: 2 };

    test('no more calls than the limit are allowed in a minute, however many come at once on two replicas', async (t) => {
      const { state, other, pass } = await setUp(t);
      const limits = { requestsPerMinute: 310 };
      for (let at = 0; at < 10; at++) await take(state, limits);
      const taken = await Promise.all(
        Array.from({ length: 2000 }, (_, at) => take(at % 2 ? state : other, limits)),
      );
      assert.equal(taken.filter(({ isAllowed }) => isAllowed).length, 300);
      const { requests, tokens, concurrent } = await take(other, limits);
      assert.ok(requests && requests.count === 310 && requests.waitMs > 50_000 && requests.waitMs <= 60_000);
      assert.deepEqual([tokens, concurrent], [undefined, undefined]);
      assert.equal((await take(state, { requestsPerMinute: 311 })).isAllowed, true);
      await pass(30);
      assert.equal((await take(other, limits)).isAllowed, false);
      await pass(31);
      const next = await take(other, limits);
      assert.deepEqual([next.isAllowed, next.requests?.count], [true, 1]);
    });

    test('a call counts against all limits or against none', async (t) => {
      const { state, other } = await setUp(t);
      const tooLarge = await take(state, all, 101);
      assert.equal(tooLarge.isAllowed, false);
      assert.ok((tooLarge.tokens?.waitMs ?? 0) > 0);
      const first = await take(other, all, 90);
      assert.deepEqual(
        [first.isAllowed, first.requests?.count, first.tokens?.count, first.concurrent],
        [true, 1, 90, 1],
      );
      assert.ok((first.tokens?.resetMs ?? 0) > 50_000 && (first.tokens?.resetMs ?? 0) <= 60_000);
      const refused = await take(state, all, 11);
      assert.deepEqual(
        [refused.isAllowed, refused.requests?.count, refused.requests?.waitMs, refused.concurrent],
        [false, 1, 0, 1],
      );
      assert.equal((await take(state, all, 10)).isAllowed, true);
      const third = await take(other, all, 0);
      assert.deepEqual([third.isAllowed, third.requests?.waitMs, third.concurrent], [false, 0, 2]);
      const elsewhere = { id: 'x', lifeMs: 60_000, limits: all, tokens: 1 };
      assert.equal((await state.callRates.take({ ...caller, name: 'b' }, elsewhere)).isAllowed, true);
    });

    test('tokens that a call did not use no longer count, and those beyond count when it ends', async (t) => {
      const { state, other, pass } = await setUp(t);
      const limits = { tokensPerMinute: 100 };
      const settle = (from: SharedState, second: number, change: number) =>
        from.callRates.settle(caller, { id: 'x', second, change });
      const { second } = await take(state, limits, 80);
      await settle(other, second, -50);
      assert.equal((await take(state, limits, 0)).tokens?.count, 30);
      await pass(40);
      await settle(other, second, 60);
      assert.equal((await take(state, limits, 0)).tokens?.count, 90);
      await pass(25);
      await settle(state, second, -30);
      assert.equal((await take(other, limits, 0)).tokens?.count, 60);
      await pass(40);
      assert.equal((await take(other, limits, 0)).tokens?.count, 0);
    });

    test('a call in flight has its slot until it ends, or until it is not renewed any more', async (t) => {
      const { state, other, pass } = await setUp(t);
      const limits = { concurrent: 2 };
      const one = await take(state, limits, 1, 'one');
      await take(other, limits, 1, 'two');
      assert.equal((await take(other, limits)).isAllowed, false);
      await other.callRates.settle(caller, { id: 'one', second: one.second, change: 0 });
      assert.equal((await take(state, limits, 1, 'three')).isAllowed, true);
      await pass(40);
      await state.callRates.renew(caller, { id: 'three', lifeMs: 60_000 });
      await pass(40);
      assert.equal((await take(other, limits, 1, 'four')).concurrent, 2);
      assert.equal((await take(other, limits, 1, 'five')).isAllowed, false);
    });

    test('answers when it is asked whether it is there', async (t) => {
      const { state } = await setUp(t);
      await state.ping();
    });
  });
}

function describeOutcome(slotDecision: SlotDecision): string {
  return 'used' in slotDecision ? `${slotDecision.outcome} ${slotDecision.used}` : slotDecision.outcome;
}
