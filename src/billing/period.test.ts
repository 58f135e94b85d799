import assert from 'node:assert/strict';
import { test } from 'node:test';
import { currentPeriod, monthOf } from './period.ts';

const day = 86_400_000;

test('a month of the calendar begins and ends at midnight in UTC', () => {
  const november = { startMs: Date.UTC(2026, 10, 1), endMs: Date.UTC(2026, 11, 1) };
  assert.deepEqual(monthOf(november.startMs), november);
  assert.deepEqual(monthOf(november.endMs - 1), november);
  assert.equal(monthOf(november.endMs).startMs, november.endMs);
  assert.deepEqual(monthOf(Date.UTC(2026, 11, 31, 23)), {
    startMs: Date.UTC(2026, 11, 1),
    endMs: Date.UTC(2027, 0, 1),
  });
  assert.deepEqual(monthOf(Date.UTC(2028, 1, 29)), {
    startMs: Date.UTC(2028, 1, 1),
    endMs: Date.UTC(2028, 2, 1),
  });
});

test('a paid period goes on in steps of its length until somebody says that it was renewed', () => {
  const period = { startMs: 100 * day, endMs: 130 * day };
  assert.deepEqual(currentPeriod(period, 99 * day), period);
  assert.deepEqual(currentPeriod(period, 130 * day - 1), period);
  assert.deepEqual(currentPeriod(period, 130 * day), { startMs: 130 * day, endMs: 160 * day });
  assert.deepEqual(currentPeriod(period, 200 * day), { startMs: 190 * day, endMs: 220 * day });
  assert.deepEqual(currentPeriod({ startMs: 5, endMs: 5 }, 7), { startMs: 5, endMs: 5 });
});
