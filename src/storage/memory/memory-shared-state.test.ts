import assert from 'node:assert/strict';
import { test } from 'node:test';
import { healthConformance } from '../../../test/conformance/health.ts';
import { type SharedStateFixture, sharedStateConformance } from '../../../test/conformance/shared-state.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import type { HealthReport } from '../../kernel/ports/health.ts';
import { MemoryAccountState } from './memory-account-state.ts';
import { MemoryCounters } from './memory-counters.ts';
import { MemoryHealthBoard } from './memory-health-board.ts';
import { MemoryRateLimiter } from './memory-rate-limiter.ts';
import { MemorySharedState } from './memory-shared-state.ts';

sharedStateConformance('shared state in memory', openFixture);
healthConformance('health in memory', openFixture);

function openFixture(): SharedStateFixture {
  const clock = new ManualClock();
  const state = new MemorySharedState(clock);
  return {
    replicas: [state, state],
    nowMs: clock.now(),
    pass: (seconds) => clock.move(seconds * 1000),
    lose: async () => new MemorySharedState(clock),
  };
}

test('health reports in memory are bounded and expire', async () => {
  const clock = new ManualClock();
  const board = new MemoryHealthBoard(clock, 2);
  for (const name of ['one', 'two', 'three']) await board.publish(name, 'a', emptyReport);
  assert.equal(board.size, 2);
  assert.deepEqual(
    (await board.read(['one', 'two', 'three'])).map((reports) => reports.size),
    [0, 1, 1],
  );
  clock.move(3_600_000);
  assert.equal((await board.read(['three']))[0]?.size, 0);
});

const emptyReport: HealthReport = {
  slots: [],
  openedAtMs: 0,
  closedAtMs: 0,
  restsUntilMs: 0,
  rejectedAtMs: 0,
  acceptedAtMs: 0,
};

test('accounts in memory are bounded: those whose period is over go first, then the oldest', async () => {
  const clock = new ManualClock();
  const accounts = new MemoryAccountState(clock, 10);
  const allowance = (accountId: string, days: number) => ({
    accountId,
    periodStartMs: 0,
    periodEndMs: clock.now() + days * 86_400_000,
    limit: 10,
    givenBackMax: 10,
  });
  for (let at = 0; at < 5; at++) await accounts.begin(allowance(`long ${at}`, 30), 1);
  for (let at = 0; at < 5; at++) await accounts.begin(allowance(`short ${at}`, 1), 1);
  clock.move(2 * 86_400 * 1000);
  await accounts.begin(allowance('new', 30), 1);
  assert.equal(accounts.size, 6);
  for (let at = 0; at < 1000; at++) {
    await accounts.begin(allowance(`newer ${at}`, 30), 1);
    assert.ok(accounts.size <= 10);
  }
  assert.equal((await accounts.take(allowance('newer 999', 30))).outcome, 'granted');
  assert.equal((await accounts.take(allowance('long 0', 30))).outcome, 'uncounted');
});

test('windows of tries in memory are bounded: those that are over go first, then the oldest', async () => {
  const clock = new ManualClock();
  const attempts = new MemoryRateLimiter(clock, 10);
  const limit = { most: 1, seconds: 60 };
  for (let at = 0; at < 10; at++) await attempts.count(`old ${at}`, limit);
  clock.move(61 * 1000);
  await attempts.count('new', limit);
  assert.equal(attempts.size, 1);
  for (let at = 0; at < 1000; at++) {
    await attempts.count(`newer ${at}`, limit);
    assert.ok(attempts.size <= 10);
  }
  assert.ok((await attempts.count('newer 999', limit)) > 0);
});

test('counts in memory are bounded: ended ones go first, then the oldest of the scope with the most', async () => {
  const clock = new ManualClock();
  const counters = new MemoryCounters(clock, 10);
  const add = (scope: string, name: string, windowMs = 60_000) =>
    counters.add({ scope, name }, { amount: 1, limit: 100, windowMs });
  await add('quiet', 'one');
  for (let at = 0; at < 4; at++) await add('short', `name ${at}`, 1000);
  for (let at = 0; at < 5; at++) await add('greedy', `name ${at}`);
  clock.move(2000);
  await add('greedy', 'new');
  assert.equal(counters.size, 7);
  for (let at = 0; at < 1000; at++) {
    await add('greedy', `newer ${at}`);
    assert.ok(counters.size <= 10);
  }
  assert.equal((await add('quiet', 'one')).count, 2);
  assert.equal((await add('greedy', 'newer 999')).count, 2);
  assert.equal((await add('greedy', 'name 0')).count, 1);
  counters.erase('greedy');
  assert.equal(counters.size, 1);
});
