import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from 'pg';
import { someCall, someRequestId } from '../../../test/conformance/database/samples.ts';
import { cleanUp } from '../../../test/support/clean-up.ts';
import { freshPostgres } from '../../../test/support/stores.ts';
import { patientBounds } from '../../testing/empty-database.ts';
import { openPostgres } from './postgres.ts';

const dayMs = 86_400_000;

test('expired days are dropped as a whole, the next ones are created, and every call has a place', async (t) => {
  const url = await freshPostgres(t);
  const database = await openPostgres({ url, bounds: patientBounds });
  cleanUp(t, () => database.close());
  const client = new Client({ connectionString: url });
  await client.connect();
  cleanUp(t, () => client.end());
  const log = database.requests;
  const today = Math.floor(Date.now() / dayMs) * dayMs;
  const at = (day: number) => someCall({ id: someRequestId(today + day * dayMs + 1) });
  const partitions = async () => {
    const { rows } = await client.query(`select tableoid::regclass::text as name, count(*)::int as calls
      from requests group by 1 order by 1`);
    return rows.map(({ name, calls }) => [name, calls]);
  };
  const name = (day: number) =>
    `requests_${new Date(today + day * dayMs).toISOString().slice(0, 10).replaceAll('-', '')}`;
  const maintain = (day: number) =>
    log.maintain({ nowMs: today + day * dayMs, keptFromMs: today + (day - 30) * dayMs, spanMs: dayMs });

  const [old, now, ahead] = [at(-40), at(0), at(2)];
  await log.add([old, now, ahead]);
  assert.deepEqual(await partitions(), [
    ['requests_before', 2],
    ['requests_future', 1],
  ]);
  await maintain(0);
  assert.deepEqual(await partitions(), [
    [name(2), 1],
    ['requests_before', 2],
  ]);
  const tomorrow = at(1);
  await log.add([tomorrow]);
  // A pause of 20 days becomes one partition.
  await maintain(20);
  await log.add([at(20), at(21)]);
  assert.deepEqual(
    await partitions(),
    [
      [name(1), 1],
      [name(2), 1],
      [name(20), 1],
      [name(21), 1],
      ['requests_before', 2],
    ].toSorted(),
  );
  await maintain(32);
  assert.equal(await log.find(now.id, undefined), undefined);
  assert.equal(await log.find(tomorrow.id, undefined), undefined);
  assert.deepEqual(await log.find(ahead.id, undefined), ahead);
  // From a journal that was left for long.
  await log.add([old]);
  assert.deepEqual((await partitions()).at(-1), ['requests_past', 1]);
  const { steps } = await log.sums({
    accountId: undefined,
    fromMs: today - 50 * dayMs,
    toMs: today + 50 * dayMs,
    stepMs: 100 * dayMs,
  });
  assert.equal(steps[0]?.requests, 7);
});
