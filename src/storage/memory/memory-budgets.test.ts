import assert from 'node:assert/strict';
import { test } from 'node:test';
import { budgetsConformance } from '../../../test/conformance/budgets.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { limits } from '../limits.ts';
import { MemoryBudgets } from './memory-budgets.ts';

budgetsConformance('purses in memory', () => {
  const clock = new ManualClock();
  const purses = new MemoryBudgets(clock);
  return {
    replicas: [purses, purses],
    pass: (seconds) => clock.move(seconds * 1000),
    lose: async () => new MemoryBudgets(clock),
  };
});

const windows = { day: { startMs: 0, endMs: 86_400_000 }, month: { startMs: 0, endMs: 31 * 86_400_000 } };
const spent = { day: 1, month: 1 };
const holderOf = (keyId: string) => ({ accountId: 'a', keyId });
const asking = (keyId: string) => ({
  holder: holderOf(keyId),
  windows,
  amount: 1,
  least: 1,
  ceilings: { day: 10 },
});

test('purses in memory are bounded: idle ones go first, then the oldest, never one that holds something', async () => {
  const clock = new ManualClock();
  const purses = new MemoryBudgets(clock, 10);
  for (let at = 0; at < 5; at++) await purses.begin(holderOf(`idle ${at}`), windows, spent);
  clock.move(limits.budgetIdleMs);
  for (let at = 0; at < 5; at++) await purses.begin(holderOf(`used ${at}`), windows, spent);
  assert.equal(purses.size, 10);
  const held = await purses.hold(asking('used 0'));
  await purses.begin(holderOf('new'), windows, spent);
  assert.equal(purses.size, 6);
  for (let at = 0; at < 1000; at++) {
    await purses.begin(holderOf(`newer ${at}`), windows, spent);
    assert.ok(purses.size <= 10);
  }
  assert.equal(held.outcome, 'granted');
  assert.equal((await purses.hold(asking('used 0'))).outcome, 'granted');
  assert.equal((await purses.hold(asking('newer 999'))).outcome, 'granted');
  assert.equal((await purses.hold(asking('used 1'))).outcome, 'uncounted');
});

test('entries of holds are reused, and a late settlement frees no other hold', async () => {
  const purses = new MemoryBudgets(new ManualClock());
  await purses.begin(holderOf('k'), windows, { day: 0, month: 0 });
  const first = await purses.hold(asking('k'));
  assert.ok(first.outcome === 'granted');
  await purses.settle(first.held, { cost: 1, windows, isRetry: false });
  const second = await purses.hold(asking('k'));
  assert.ok(second.outcome === 'granted');
  await purses.settle(first.held, { cost: 1, windows, isRetry: true });
  const refused = await purses.hold({ ...asking('k'), amount: 10, least: 10 });
  assert.deepEqual(refused, { outcome: 'refused', window: 'day', spent: 1, held: 1 });
});
