import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cardAt, cardsOn, compileSchedule } from './price-schedule.ts';

const at = (time: string) => Date.parse(time);
const input = (schedule: ReturnType<typeof compileSchedule>, time: string) =>
  cardAt(schedule, at(time)).input / 1e6;

test('a price holds from its day on, to the millisecond', () => {
  const schedule = compileSchedule([
    { from: '2026-10-09', input: 1, output: 1 },
    { input: 2, output: 2 },
    { from: '2027-01-01T12:00:00Z', input: 3, output: 3 },
  ]);
  assert.equal(input(schedule, '2020-01-01'), 2);
  assert.equal(input(schedule, '2026-10-08T23:59:59.999Z'), 2);
  assert.equal(input(schedule, '2026-10-09'), 1);
  assert.equal(input(schedule, '2027-01-01T11:59:59.999Z'), 1);
  assert.equal(input(schedule, '2027-01-01T12:00:00Z'), 3);
});

test('before the first price there is the first', () => {
  const schedule = compileSchedule([{ from: '2030-01-01', input: 4, output: 4 }]);
  assert.equal(input(schedule, '2026-01-01'), 4);
});

test('hours of a day have prices of their own, and the hour that ends them no longer has', () => {
  const schedule = compileSchedule([
    { input: 1, output: 1, hours: [{ between: ['01:00', '04:00'], input: 2, output: 2 }] },
  ]);
  assert.equal(input(schedule, '2026-11-15T00:59:59.999Z'), 1);
  assert.equal(input(schedule, '2026-11-15T01:00:00Z'), 2);
  assert.equal(input(schedule, '2026-11-15T03:59:59.999Z'), 2);
  assert.equal(input(schedule, '2026-11-15T04:00:00Z'), 1);
});

test('hours may reach over midnight, and leave weekends out', () => {
  const schedule = compileSchedule([
    {
      input: 1,
      output: 1,
      hours: [{ between: ['22:30', '02:00'], weekdays: true, input: 2, output: 2 }],
    },
  ]);
  // 13 November 2026 is a Friday.
  assert.equal(input(schedule, '2026-11-13T23:00:00Z'), 2);
  assert.equal(input(schedule, '2026-11-13T01:59:00Z'), 2);
  assert.equal(input(schedule, '2026-11-14T01:00:00Z'), 1);
  assert.equal(input(schedule, '2026-11-15T23:00:00Z'), 1);
  assert.equal(input(schedule, '2026-11-16T23:00:00Z'), 2);
});

test('a day has every card that holds at one of its hours', () => {
  const schedule = compileSchedule([
    { input: 1, output: 1, hours: [{ between: ['01:00', '04:00'], input: 2, output: 2 }] },
    { from: '2026-11-15T12:00:00Z', input: 3, output: 3 },
  ]);
  const inputs = (day: string) => cardsOn(schedule, at(day)).map((card) => card.input / 1e6);
  assert.deepEqual(inputs('2026-11-14'), [1, 2]);
  assert.deepEqual(inputs('2026-11-15'), [1, 2, 3]);
  assert.deepEqual(inputs('2026-11-16'), [3]);
});
