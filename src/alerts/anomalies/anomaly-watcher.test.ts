import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { someCall, someRequestId } from '../../../test/conformance/database/samples.ts';
import { learnedKey, steadyQuarter } from '../../../test/support/learned-key.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { emptyFolder } from '../../../test/support/weir-process.ts';
import type { Alert } from '../../kernel/ports/alerts.ts';
import type { Database } from '../../kernel/ports/records.ts';
import { openEmptyDatabase } from '../../testing/empty-database.ts';
import { limits } from '../limits.ts';
import { AnomalyWatcher } from './anomaly-watcher.ts';
import { encodePast, encodeState } from './key-state-codec.ts';

const minuteMs = 60_000;
const startMs = Date.UTC(2026, 5, 3, 12);

test('a jump of what a key spends is reported once by two replicas, with its start and its causes, and so is its end', async (t) => {
  const { database, clock, alerts, watcher } = await setUp(t);
  const [one, other] = [watcher(), watcher()];
  await spend(database, startMs - 120 * minuteMs, { minutes: 120, factor: 1 });
  await round(clock, startMs, one, other);
  assert.equal(alerts.length, 0);
  await spend(database, startMs, { minutes: 30, factor: 1 });
  await spend(database, startMs, { minutes: 30, factor: 2, modelUsed: 'gpt-6-pro', client: 'cron' });
  for (const minutes of [5, 10, 15, 20, 25, 30]) await round(clock, startMs + minutes * minuteMs, one, other);
  const [alert] = alerts;
  assert.equal(alerts.length, 1);
  assert.equal(alert?.event, 'anomaly.detected');
  assert.match(
    alert?.message ?? '',
    /^Spend of API key "bot" is unusual since 2026-06-03 12:00 UTC: .* model "gpt-6-pro"/,
  );
  assert.deepEqual(Object(alert?.data).drivers.map(Object.values), [
    ['model', 'gpt-6-pro', 1],
    ['provider', 'openai', 1],
    ['client', 'cron', 1],
  ]);
  // Another process goes on with what these two knew.
  const third = watcher();
  await spend(database, startMs + 30 * minuteMs, { minutes: 75, factor: 1 });
  for (let minutes = 35; minutes <= 105; minutes += 5)
    await round(clock, startMs + minutes * minuteMs, third);
  assert.deepEqual(
    alerts.map(({ event, key }) => [event, key === alert?.key]),
    [
      ['anomaly.detected', true],
      ['anomaly.ended', true],
    ],
  );
});

test('failed calls are reported with their error', async (t) => {
  const { database, clock, alerts, watcher } = await setUp(t);
  await spend(database, startMs - 60 * minuteMs, { minutes: 60, factor: 1 });
  await spend(database, startMs, { minutes: 30, factor: 0.7 });
  await spend(database, startMs, { minutes: 30, factor: 0.3, status: 529, errorCode: 'overloaded' });
  for (const minutes of [5, 10, 15, 20, 25, 30]) await round(clock, startMs + minutes * minuteMs, watcher());
  assert.deepEqual(
    alerts.map(({ data }) => [data.measure, data.since]),
    [['errors', '2026-06-03T12:00:00.000Z']],
  );
  assert.match(alerts[0]?.message ?? '', /2[0-9] % in the last 20 minutes, .* error "overloaded" \(\d+ %\)/);
});

/** A key of which four weeks are known, with 20 calls in five minutes. */
async function setUp(t: TestContext) {
  const database = await openEmptyDatabase(emptyFolder(t));
  t.after(() => database.close());
  const clock = new ManualClock();
  clock.move(startMs - clock.now());
  const { state, past } = learnedKey(startMs - 150 * minuteMs);
  await database.keyActivities.save([
    {
      ...{ accountId: 'local', keyId: 'k1', state: encodeState(state), past: encodePast(past) },
      ...{ hasIncident: false, savedMs: startMs },
    },
  ]);
  const alerts: Alert[] = [];
  const watcher = () =>
    new AnomalyWatcher({
      activities: database.keyActivities,
      alerts: { raise: (alert) => alerts.push(alert) },
      clock,
      keyName: async () => 'bot',
      onError: assert.fail,
    });
  return { database, clock, alerts, watcher };
}

async function round(
  clock: ManualClock,
  endMs: number,
  ...watchers: readonly AnomalyWatcher[]
): Promise<void> {
  clock.move(endMs + limits.anomalyLagMs - clock.now());
  await Promise.all(watchers.map((watcher) => watcher.watch()));
}

async function spend(
  database: Database,
  fromMs: number,
  {
    minutes,
    factor,
    ...given
  }: { readonly minutes: number; readonly factor: number } & Parameters<typeof someCall>[0],
): Promise<void> {
  const costNanoUsd = steadyQuarter.costNanoUsd / steadyQuarter.calls;
  const perMinute = (steadyQuarter.calls / 15) * factor;
  const calls = Array.from({ length: Math.round(minutes * perMinute) }, (_, at) =>
    someCall({
      id: someRequestId(fromMs + (at / perMinute) * minuteMs),
      keyId: 'k1',
      costNanoUsd,
      client: 'shop',
      ...given,
    }),
  );
  await database.requests.add(calls);
}
