// Faults under load, three replicas behind the shipped HAProxy: npm run test:faults
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../scripts/test-servers/server-process.ts';
import { at } from '../support/at.ts';
import { call } from '../support/call.ts';
import { bearer, Person } from '../support/cloud.ts';
import { eventually } from '../support/eventually.ts';
import { loggedIds } from '../support/kill-trial.ts';
import { diskAt } from '../support/small-disk.ts';
import { SteadyLoad } from '../support/steady-load.ts';
import { WeirProcess } from '../support/weir-process.ts';
import { type Fleet, startFleet } from './fleet.ts';

/** Of one call, in nano dollars: 25 tokens in at a dollar for a million, 17 out at five. */
const callCost = 110_000;

interface Fault {
  readonly name: string;
  /** Why it can't be caused here. */
  missing?(fleet: Fleet): string | undefined;
  /** Causes the fault, lets calls run into it, and ends it. */
  run(fleet: Fleet, load: SteadyLoad): Promise<void>;
  /** Failures that a replica alone would cause as well. */
  readonly mayFail?: RegExp;
  /** Calls that were answered and may be missing in usage: those of a killed process in the last turn of its event loop. */
  readonly uncountedMax?: number;
}

const refusedWithoutRedis = /: 503 .*"code":"storage_unavailable"/;
const faketime = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')[0];

const faults: readonly Fault[] = [
  { name: 'none', run: (_, load) => answered(load, 100) },
  {
    name: 'PostgreSQL is stopped for 12 s',
    async run({ postgres }, load) {
      postgres.pause();
      try {
        await Promise.all([sleep(12_000), answered(load, 100)]);
      } finally {
        postgres.resume();
      }
    },
  },
  {
    name: 'the disk of PostgreSQL is full for 10 s',
    missing: () => (process.env.TEST_DISK ? undefined : 'nothing can be mounted here'),
    async run(_, load) {
      const disk = diskAt(String(process.env.TEST_DISK));
      disk.fill();
      try {
        await Promise.all([sleep(10_000), answered(load, 100)]);
      } finally {
        disk.empty();
      }
    },
  },
  {
    name: 'PostgreSQL stands still for 400 ms of each 500 ms, as with a slow disk',
    async run({ postgres }, load) {
      let isOver = false;
      const calls = answered(load, 100).finally(() => {
        isOver = true;
      });
      while (!isOver) {
        postgres.pause();
        await sleep(400);
        postgres.resume();
        await sleep(100);
      }
      await calls;
    },
  },
  {
    name: 'Redis is restarted without its data',
    mayFail: refusedWithoutRedis,
    async run({ redis }, load) {
      await redis.stop();
      await eventually(() => (load.failures.size > 0 ? true : undefined));
      await redis.start();
      await answered(load, 100);
    },
  },
  {
    name: 'one replica is cut off from Redis',
    mayFail: refusedWithoutRedis,
    async run({ redisProxy }, load) {
      redisProxy.stop();
      await answered(load, 200);
      await redisProxy.start();
      await answered(load, 50);
    },
  },
  {
    name: 'PgBouncer is restarted',
    missing: ({ pgbouncer }) => (pgbouncer === undefined ? 'there is no PgBouncer' : undefined),
    async run({ pgbouncer }, load) {
      await pgbouncer?.stop();
      await answered(load, 50);
      await pgbouncer?.start();
      await answered(load, 50);
    },
  },
  {
    name: 'the clock of one replica is 26 h ahead',
    missing: () => (faketime === undefined ? 'there is no libfaketime' : undefined),
    async run({ replicas: [, replica] }, load) {
      await replica?.stop();
      await replica?.start({ LD_PRELOAD: faketime, FAKETIME: '+26h' });
      await answered(load, 150);
      await replica?.stop();
      await replica?.start();
      await answered(load, 20);
    },
  },
  {
    name: 'SIGKILL of one replica',
    // What it had under way.
    mayFail: /: 502 |ECONNRESET|socket hang up|: 200 /,
    uncountedMax: 8,
    async run({ replicas: [, replica] }, load) {
      await replica?.kill();
      await answered(load, 100);
      await replica?.start();
      await answered(load, 50);
    },
  },
];

test('three replicas behind HAProxy', async (t) => {
  const fleet = await startFleet(t);
  const person = await Person.signUp(fleet.url);
  for (const fault of faults)
    await t.test(fault.name, async (one) => {
      const missing = fault.missing?.(fleet);
      if (missing !== undefined) return one.skip(missing);
      await withLoad(one, fleet, person, fault);
    });

  await t.test(
    'a start without Redis waits for it, a start without PostgreSQL ends with one line',
    async (one) => {
      const nobody = await freePort();
      const port = await freePort();
      const { redis } = fleet;
      await redis.stop();
      const waiting = new WeirProcess(one, { environment: { ...fleet.environment, PORT: String(port) } });
      const url = await waiting.listening;
      assert.equal((await call(url, { path: '/ready' })).status, 503);
      await redis.start();
      await eventually(async () => ((await call(url, { path: '/ready' })).status === 200 ? true : undefined));
      const ended = new WeirProcess(one, {
        environment: { ...fleet.environment, DATABASE_URL: `postgres://weir:x@127.0.0.1:${nobody}/weir` },
      });
      assert.equal((await ended.exited).code, 1);
      assert.match(ended.stderr, /^weir: the database can't be used: .*\n$/);
    },
  );
});

async function withLoad(t: TestContext, fleet: Fleet, person: Person, fault: Fault): Promise<void> {
  const { key } = await person.makeKey();
  const providerKey = `sk-ant-${fault.name.replace(/\W+/g, '-')}`;
  const before = await usageOf(fleet, key);
  const load = new SteadyLoad({
    place: () => fleet.url,
    key,
    providerKey,
    streams: 3,
    others: 6,
    pauseMs: 150,
  });
  try {
    await answered(load, 40);
    await fault.run(fleet, load);
  } finally {
    await load.stop();
  }
  const failed = [...load.failures].filter(([how]) => fault.mayFail?.test(how) !== true);
  const lost = [...load.failures.values()].reduce((sum, times) => sum + times, 0);
  t.diagnostic(`${load.ids.length} calls answered, ${lost} not`);
  for (const [how, times] of load.failures) t.diagnostic(`${times} × ${how}`);
  assert.deepEqual(failed, []);

  // Answered calls are in usage, in dollars and in the request log, and the provider has seen no others.
  const { uncountedMax = 0 } = fault;
  const giveUpAt = performance.now() + (uncountedMax > 0 ? 20_000 : Number.POSITIVE_INFINITY);
  const after = await eventually(async () => {
    const usage = await usageOf(fleet, key);
    const isComplete = usage.calls - before.calls >= load.ids.length;
    return isComplete || performance.now() > giveUpAt ? usage : undefined;
  });
  const calls = after.calls - before.calls;
  const seen = fleet.requestsWith(providerKey);
  t.diagnostic(`${calls} counted, ${seen} seen by the provider`);
  assert.ok(calls <= seen, 'no call is counted that the provider has not seen');
  assert.ok(calls >= load.ids.length - uncountedMax, `${load.ids.length - calls} calls are not counted`);
  if (uncountedMax === 0) {
    assert.equal(calls, load.ids.length);
    assert.equal(after.cost - before.cost, calls * callCost);
  }
  const logged = await eventually(async () => {
    const ids = new Set(await loggedIds(fleet.url, key));
    return load.ids.every((id) => ids.has(id)) ? ids : undefined;
  });
  t.diagnostic(`${logged.size} rows in the request log`);
}

async function usageOf(
  { url }: Fleet,
  key: string,
): Promise<{ readonly calls: number; readonly cost: number }> {
  const { json } = await call(url, { path: '/v1/usage', headers: bearer(key) });
  const cost = Math.round(Number(at(json, 'total', 'cost_usd')) * 1e9);
  return { calls: Number(at(json, 'total', 'requests')), cost };
}

/** Resolves when so many more calls were answered. */
async function answered(load: SteadyLoad, calls: number): Promise<void> {
  const goal = load.ids.length + calls;
  await eventually(() => (load.ids.length >= goal ? true : undefined));
}
