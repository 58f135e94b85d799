import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StallDetector } from './stall-detector.ts';

/** Samples once a second for as long as is said; CPU time and turns grow by so much each second. */
function stallAfter(seconds: number, { cpuMs = 0, turns = 0, limitMs = 10_000 }): StallDetector {
  const stallDetector = new StallDetector({ limitMs, blockedFactor: 3 }, { turns: 0, nowMs: 0, cpuMs: 0 });
  for (let second = 1; second <= seconds; second++)
    stallDetector.add({ turns: second * turns, nowMs: second * 1000, cpuMs: second * cpuMs });
  return stallDetector;
}

test('an event loop that computes without turning is frozen when its time is over', () => {
  assert.equal(stallAfter(9, { cpuMs: 1000 }).isFrozen, false);
  assert.equal(stallAfter(10, { cpuMs: 1000 }).isFrozen, true);
});

test('an event loop that turns is not frozen, however busy it is', () => {
  assert.equal(stallAfter(100, { cpuMs: 1000, turns: 1 }).isFrozen, false);
});

test('a process that gets little CPU time gets more time, and one that spins is still found', () => {
  assert.equal(stallAfter(10, { cpuMs: 100 }).isFrozen, false);
  assert.equal(stallAfter(20, { cpuMs: 250 }).isFrozen, true);
});

test('an event loop that waits gets three times as long', () => {
  assert.equal(stallAfter(29, {}).isFrozen, false);
  assert.equal(stallAfter(30, {}).isFrozen, true);
});

test('time in which nothing ran does not count', () => {
  const stallDetector = stallAfter(9, { cpuMs: 1000 });
  stallDetector.add({ turns: 0, nowMs: 3_600_000, cpuMs: 9000 });
  assert.deepEqual([stallDetector.isFrozen, stallDetector.ms], [false, 0]);
  for (let second = 1; second <= 10; second++)
    stallDetector.add({ turns: 0, nowMs: 3_600_000 + second * 1000, cpuMs: 9000 + second * 1000 });
  assert.equal(stallDetector.isFrozen, true);
});

test('without a limit nothing is frozen', () => {
  assert.equal(stallAfter(1000, { cpuMs: 1000, limitMs: Infinity }).isFrozen, false);
});
