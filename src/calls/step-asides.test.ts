import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/support/manual-clock.ts';
import type { ModuleDay } from '../kernel/ports/records.ts';
import { createModuleTables } from '../testing/module-tables.ts';
import { StepAsides } from './step-asides.ts';

const dayMs = 86_400_000;
const side = { conversations: 0, costNanoUsd: 0, squaredUsd: 0 };

function dayWith(changes: Partial<ModuleDay>): ModuleDay {
  return {
    accountId: 'a',
    day: '2026-11-15',
    module: 'ipc',
    calls: 2000,
    savedNanoUsd: -1,
    spentNanoUsd: 0,
    with: side,
    without: side,
    ...changes,
  };
}

test('a module that loses money steps aside on all replicas, for a month, and is then judged by later days', async () => {
  const clock = new ManualClock();
  const { modules: stores } = createModuleTables(clock);
  const rows = [dayWith({}), dayWith({ module: 'patterns', savedNanoUsd: 1 })];
  let reads = 0;
  const days = async (_: string, from: string) => {
    reads++;
    return rows.filter(({ day }) => day >= from);
  };
  const [one, other] = [new StepAsides({ stores, clock, days }), new StepAsides({ stores, clock, days })];
  const ipc = { module: 'ipc', scope: 'account:a', accountId: 'a' };
  const expected = { sinceMs: clock.now(), untilMs: clock.now() + 30 * dayMs, reason: 'loses' };

  assert.deepEqual(await Promise.all([one.current(ipc), other.current(ipc)]), [expected, expected]);
  assert.deepEqual(await other.stored(ipc), expected);
  assert.equal(await one.current({ ...ipc, module: 'patterns' }), undefined);
  reads = 0;
  clock.move(30 * dayMs - 1);
  assert.deepEqual([await one.current(ipc), reads], [expected, 0]);

  clock.move(60_001);
  assert.deepEqual([await one.stored(ipc), await one.current(ipc)], [undefined, undefined]);
  const endDay = new Date(expected.untilMs).toISOString().slice(0, 10);
  rows.push(dayWith({ day: endDay }));
  clock.move(60_000);
  assert.equal(await one.current(ipc), undefined, 'the day on which it ended does not count');
  const nextDay = new Date(expected.untilMs + dayMs).toISOString().slice(0, 10);
  rows.push(dayWith({ day: nextDay }));
  clock.move(60_000);
  assert.equal((await one.current(ipc))?.sinceMs, clock.now());
});
