import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedStateConformance } from '../../../test/conformance/shared-state.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { MemoryAccountState } from './memory-account-state.ts';
import { MemoryRateLimiter } from './memory-rate-limiter.ts';
import { MemorySharedState } from './memory-shared-state.ts';

sharedStateConformance('shared state in memory', () => {
  const clock = new ManualClock();
  const state = new MemorySharedState(clock);
  return {
    replicas: [state, state],
    nowMs: clock.now(),
    pass: (seconds) => clock.move(seconds * 1000),
    lose: async () => new MemorySharedState(clock),
  };
});

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
