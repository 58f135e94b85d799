import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { ManualClock } from '../../test/support/manual-clock.ts';
import {
  createInProcessStores,
  createRemoteStoresFixture,
  createSharedHolders,
} from '../../test/support/remote-stores-fixture.ts';
import type { Allowance, Slots } from '../kernel/ports/shared-state.ts';
import { limits } from './limits.ts';

const allowance: Allowance = {
  accountId: 'a',
  periodStartMs: 0,
  periodEndMs: Number.MAX_SAFE_INTEGER,
  limit: 2000,
  givenBackMax: 1000,
};

/** Two processes that call for one account. */
async function twoProcesses(t: TestContext, idleMs?: number) {
  const memory = createInProcessStores(new ManualClock());
  const all = createSharedHolders(memory, idleMs);
  const [one, other] = [createRemoteStoresFixture(t, memory, all), createRemoteStoresFixture(t, memory, all)];
  const { slots } = memory.shared;
  await slots.begin(allowance, 0);
  /** What is counted, with what was handed out. */
  const used = () => {
    const slotDecision = slots.take(allowance);
    void slots.undo(allowance);
    return slotDecision.outcome === 'granted' ? slotDecision.used - 1 : allowance.limit;
  };
  return { one, other, slots, used, ahead: all.ahead };
}

/** How many of so many calls are let through, one after the other. */
async function granted(slots: Slots, calls: number, of = allowance): Promise<number> {
  let granted = 0;
  for (let call = 0; call < calls; call++) if ((await slots.take(of)).outcome === 'granted') granted++;
  return granted;
}

test('a process that calls often asks seldom, and all together get what the cap has and not one more', async (t) => {
  const { one, other } = await twoProcesses(t);
  const first = await granted(one.shared.slots, 900);
  assert.ok(one.asked('take').length < 900 / 4, String(one.asked('take').length));
  const both = await Promise.all([granted(one.shared.slots, 1500), granted(other.shared.slots, 1500)]);
  assert.equal(first + both[0] + both[1], allowance.limit);
});

test('what one process was handed and has not used is there for another that is about to be refused', async (t) => {
  const { one, other, used } = await twoProcesses(t);
  assert.equal(await granted(one.shared.slots, 3), 3);
  assert.ok(used() > 3, 'some were handed out ahead');
  assert.equal(await granted(other.shared.slots, 2000), 1997);
  assert.equal(await granted(one.shared.slots, 1), 0);
});

test('a full count includes the calls in flight of processes that were not asked', async (t) => {
  const { one, other } = await twoProcesses(t);
  for (let calls = 1; calls <= 3; calls++)
    await one.shared.slots.take(allowance, { processId: 'one', calls });
  await granted(other.shared.slots, 1997);
  const slotDecision = await other.shared.slots.take(allowance, { processId: 'other', calls: 1 });
  assert.ok(slotDecision.outcome === 'full', slotDecision.outcome);
  assert.equal(slotDecision.held, 3);
});

test('a renewal is heard before it is confirmed by whoever has slots at hand, and what is left of them comes back', async (t) => {
  const { one, other, used } = await twoProcesses(t);
  await granted(one.shared.slots, 3);
  const { version } = await one.shared.slots.take(allowance);
  await other.shared.versions.renew('a');
  assert.equal(used(), 4);
  assert.notEqual((await one.shared.slots.take(allowance)).version, version);
});

test('too many failures on one process hold on another that has slots at hand', async (t) => {
  const { one, other } = await twoProcesses(t);
  const strict = { ...allowance, givenBackMax: 1 };
  await granted(one.shared.slots, 3, strict);
  await granted(other.shared.slots, 1, strict);
  await other.shared.slots.giveBack(strict);
  assert.equal((await one.shared.slots.take(strict)).outcome, 'failing');
});

test('a limit that was lowered holds for slots that are at hand', async (t) => {
  const { one } = await twoProcesses(t);
  await granted(one.shared.slots, 3);
  assert.equal(await granted(one.shared.slots, 10, { ...allowance, limit: 6 }), 3);
});

test('unused slots are returned after a while', async (t) => {
  const { one, used } = await twoProcesses(t, 20);
  await granted(one.shared.slots, 3);
  await eventually(() => (used() === 3 ? true : undefined));
  assert.equal(await granted(one.shared.slots, 1), 1);
});

test('a process that leaves in order gives back what it has not used', async (t) => {
  const { one, used, ahead } = await twoProcesses(t);
  await granted(one.shared.slots, 3);
  await ahead.reclaimFrom(one.holder);
  ahead.onHolderExit(one.holder);
  assert.equal(used(), 3);
});

test('what a killed process had at hand stays taken, a 64th of what was left at most, and is not under way', async (t) => {
  const { one, other, ahead } = await twoProcesses(t);
  for (let calls = 1; calls <= 3; calls++)
    await one.shared.slots.take(allowance, { processId: 'one', calls });
  one.cut();
  ahead.onHolderExit(one.holder);
  const left = await granted(other.shared.slots, 2000);
  assert.ok(left <= 1997 && left >= 1997 - allowance.limit / limits.slotsAheadShare, String(left));
  const slotDecision = await other.shared.slots.take(allowance);
  assert.ok(slotDecision.outcome === 'full', slotDecision.outcome);
  assert.equal(slotDecision.held, 0);
  await assert.rejects(async () => one.shared.slots.take(allowance), { code: 'storage_unavailable' });
});

test('a blocked process keeps its slots, and the others learn that they may be returned', async (t) => {
  const memory = createInProcessStores(new ManualClock());
  const all = createSharedHolders(memory, 60_000, 10);
  const stuck = { hasEnded: false, forgetAccount: () => Promise.reject(new Error('stuck')) };
  await memory.shared.slots.begin(allowance, 0);
  await all.ahead.take(stuck, { allowance, inFlight: undefined, finishedLeaseId: 0 });
  const { lease } = await all.ahead.take(stuck, { allowance, inFlight: undefined, finishedLeaseId: 0 });
  assert.equal(lease?.calls, limits.slotsAheadMin);
  const { shared } = createRemoteStoresFixture(t, memory, all);
  assert.equal(await granted(shared.slots, 2000), 2000 - 2 - limits.slotsAheadMin);
  const slotDecision = await shared.slots.take(allowance);
  assert.ok(slotDecision.outcome === 'full', slotDecision.outcome);
  assert.equal(slotDecision.held, limits.slotsAheadMin);
  // The memory made room: who counts anew must know of all that is let through.
  memory.shared.erase('a');
  await assert.rejects(async () => shared.slots.take(allowance), { code: 'storage_unavailable' });
});

test('slots whose answer came too late come back with the next question', async (t) => {
  const { one, slots, used, ahead } = await twoProcesses(t);
  const asked = { allowance, inFlight: undefined, finishedLeaseId: 0 };
  await ahead.take(one.holder, asked);
  await ahead.take(one.holder, asked);
  assert.equal(used(), 2 + limits.slotsAheadMin);
  await ahead.take(one.holder, asked);
  await ahead.forgetAccount('a');
  assert.equal(used(), 3);
  assert.equal((await slots.take(allowance)).outcome, 'granted');
});
