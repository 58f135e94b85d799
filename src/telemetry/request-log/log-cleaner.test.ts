import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { someCall, someMember, someRequestId } from '../../../test/conformance/database/samples.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { FaultyRequestLog } from '../../../test/support/faulty-request-log.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { emptyFolder } from '../../../test/support/weir-process.ts';
import type { TierRetentions } from '../../kernel/ports/log-retentions.ts';
import type { LoggedCall, RequestLog } from '../../kernel/ports/request-log.ts';
import { openEmptyDatabase } from '../../testing/empty-database.ts';
import { limits } from '../limits.ts';
import { AccountRetentions } from './account-retentions.ts';
import { type CleanerParts, LogCleaner } from './log-cleaner.ts';

const dayMs = 86_400_000;

test('calls that are too old are forgotten when their day is over, and none else', async (t) => {
  const { log, clock, cleaner } = await setUp(t, { retentionMs: 30 * dayMs });
  clock.move(dayMs - (clock.now() % dayMs));
  const today = clock.now();
  const [old, young] = [callsAt(today - 30 * dayMs - 1, 3), callsAt(today - 30 * dayMs, 4)];
  await log.add([...young, ...old]);
  assert.equal(await cleaner().clean(), 3);
  assert.deepEqual(await idsIn(log), idsOf(young));
  clock.move(1);
  assert.equal(await cleaner().clean(), 0, 'the first one holds the lease');
  clock.move(dayMs - 2);
  assert.equal(await cleaner().clean(), 0, 'the day is not over');
  clock.move(1 + limits.requestLogCleanerMs);
  assert.equal(await cleaner().clean(), 4);
});

test('an account with a retention of its own loses its older calls within an hour, others lose none', async (t) => {
  const { log, retentions, clock, cleaner } = await setUp(t, {});
  const [hers, his] = [
    callsAt(clock.now() - 3 * dayMs - 1, 4, 'hers'),
    callsAt(clock.now() - 9 * dayMs, 2, 'his'),
  ];
  const young = callsAt(clock.now() - 3 * dayMs + 1, 1, 'hers');
  await log.add([...hers, ...his, ...young]);
  const one = cleaner();
  assert.equal(await one.clean(), 0);
  await retentions.put({ accountId: 'hers', days: 3 });
  clock.move(limits.retentionAccountsMs - 1);
  assert.equal(await one.clean(), 0, 'the hour is not over');
  clock.move(1);
  assert.equal(await one.clean(), 5, 'the younger one is an hour older');
  assert.deepEqual(await idsIn(log), idsOf(his));
});

test('an account loses what its tier does not keep, also if it has chosen to keep more', async (t) => {
  const tiers = new Map([['free', { logDays: 3 }]]);
  const { database, log, retentions, clock, cleaner } = await setUp(t, {}, tiers);
  const [ada, bob] = [someMember(), someMember({ tier: 'team' })];
  for (const member of [ada, bob]) assert.equal(await database.identities.add(member), true);
  const [ann, ben] = [ada.account.id, bob.account.id];
  await retentions.put({ accountId: ann, days: 90 });
  const old = callsAt(clock.now() - 4 * dayMs, 2, ann);
  const kept = [...callsAt(clock.now() - 2 * dayMs, 1, ann), ...callsAt(clock.now() - 40 * dayMs, 2, ben)];
  await log.add([...old, ...kept]);
  assert.equal(await cleaner().clean(), 2);
  assert.deepEqual(await idsIn(log), idsOf(kept));
});

test('of too many calls the newest are kept', async (t) => {
  const { log, clock, cleaner } = await setUp(t, { rowsMax: 5 });
  const calls = Array.from({ length: 12 }, (_, at) => callsAt(clock.now() - 100 + at, 1)).flat();
  await log.add(calls);
  const one = cleaner();
  assert.equal(await one.clean(), 7);
  assert.deepEqual(await idsIn(log), idsOf(calls.slice(-5)));
  assert.equal(await one.clean(), 0);
});

test('much is deleted in steps', async (t) => {
  const { log, faulty, clock, cleaner } = await setUp(t, { rowsMax: 1 });
  const most = limits.requestLogDeletedMin;
  for (let round = 0; round < 2; round++) await log.add(callsAt(clock.now() - 100, most));
  await log.add(callsAt(clock.now() - 50, 11));
  assert.equal(await cleaner().clean(), 2 * most + 10);
  assert.equal(faulty.forgotten[0], most);
});

test('of two who clean, one does', async (t) => {
  const { log, clock, cleaner } = await setUp(t, { rowsMax: 1 });
  await log.add(callsAt(clock.now(), 10));
  const deleted = await Promise.all([cleaner().clean(), cleaner().clean()]);
  assert.deepEqual(
    deleted.toSorted((one, other) => one - other),
    [0, 9],
  );
});

test('one that another has taken over from stops', async (t) => {
  const { log, faulty, clock, cleaner } = await setUp(t, { rowsMax: 1 });
  const most = limits.requestLogDeletedMin;
  for (let round = 0; round < 3; round++) await log.add(callsAt(clock.now(), most));
  faulty.afterForget = async () => {
    clock.move(limits.requestLogCleanerMs);
    await log.acquireCleanupLease('another', clock.now(), clock.now() + 1);
  };
  assert.equal(await cleaner().clean(), most);
});

test('it cleans by itself, tells of failures and goes on, until it is stopped', async (t) => {
  const errors: unknown[] = [];
  const { log, faulty, clock, cleaner } = await setUp(t, {
    rowsMax: 1,
    intervalMs: 5,
    onError: (error) => errors.push(error),
  });
  faulty.afterForget = () => {
    if (faulty.forgotten.length === 1) throw new Error('away');
  };
  const one = cleaner();
  one.start();
  await eventually(() => errors[0]);
  await log.add(callsAt(clock.now(), 10));
  await eventually(async () => ((await idsIn(log)).length === 1 ? true : undefined));
  await one.stop();
  const rounds = faulty.forgotten.length;
  await log.add(callsAt(clock.now(), 10));
  await one.stop();
  assert.deepEqual([faulty.forgotten.length, (await idsIn(log)).length, errors.length], [rounds, 11, 1]);
});

test('stopping waits for the step under way, and for no more', async (t) => {
  const { log, faulty, clock, cleaner } = await setUp(t, { rowsMax: 1, pauseMs: 3_600_000 });
  const most = limits.requestLogDeletedMin;
  for (let round = 0; round < 2; round++) await log.add(callsAt(clock.now(), most));
  const one = cleaner();
  const round = one.clean();
  await eventually(() => faulty.forgotten[0]);
  await one.stop();
  assert.equal(await round, most);
});

test('sums are put together as they get older, and forgotten with their calls', async (t) => {
  const { log, clock, cleaner } = await setUp(t, { retentionMs: 30 * dayMs });
  const [minuteMs, hourMs] = [60_000, 3_600_000];
  const today = Math.floor(clock.now() / dayMs) * dayMs;
  clock.move(today + dayMs - 1 - clock.now());
  const at = (ms: number) => callsAt(ms, 1);
  const [lately, old, older] = [today + 22 * hourMs, today - 2 * dayMs, today - 12 * dayMs];
  await log.add(
    [lately, today, old, older].flatMap((ms) => [...at(ms + minuteMs), ...at(ms + hourMs + minuteMs)]),
  );
  const minutes = async (fromMs: number) => {
    const asked = { accountId: undefined, fromMs, toMs: fromMs + dayMs, stepMs: minuteMs };
    const { steps } = await log.sums(asked);
    return steps
      .map(({ step, requests }) => [step, requests])
      .sort(([one], [other]) => Number(one) - Number(other));
  };
  const one = cleaner();
  await one.clean();
  assert.deepEqual(await minutes(today), [
    [0, 1],
    [60, 1],
    [22 * 60 + 1, 1],
    [23 * 60 + 1, 1],
  ]);
  assert.deepEqual(await minutes(old), [
    [0, 1],
    [60, 1],
  ]);
  assert.deepEqual(await minutes(older), [[0, 2]]);
  clock.move(10 * dayMs);
  await one.clean();
  assert.deepEqual(await minutes(old), [[0, 2]]);
  clock.move(30 * dayMs);
  await one.clean();
  assert.deepEqual(
    [await log.oldestSums('by-minute'), await log.oldestSums('folded')],
    [undefined, undefined],
  );
});

function callsAt(atMs: number, count: number, accountId = 'acc'): readonly LoggedCall[] {
  return Array.from({ length: count }, () => someCall({ id: someRequestId(atMs), accountId }));
}

function idsOf(calls: readonly LoggedCall[]): readonly string[] {
  return calls.map(({ id }) => id).sort();
}

async function idsIn(log: RequestLog): Promise<readonly string[]> {
  return idsOf((await log.page({ accountId: undefined, filter: {}, limit: 1000 })).calls);
}

async function setUp(t: TestContext, bounds: Partial<CleanerParts>, tiers: TierRetentions = new Map()) {
  const database = await openEmptyDatabase(emptyFolder(t));
  t.after(() => database.close());
  const { requests: log, logRetentions: retentions } = database;
  const faulty = new FaultyRequestLog(log);
  const clock = new ManualClock();
  const usual = { retentionMs: 365 * dayMs, rowsMax: 1_000_000, pauseMs: 1 };
  const cleaner = () => {
    const ofAccounts = new AccountRetentions({ table: retentions, tiers, clock });
    const made = new LogCleaner({ log: faulty, retentions: ofAccounts, clock, ...usual, ...bounds });
    t.after(() => made.stop());
    return made;
  };
  return { database, log, retentions, faulty, clock, cleaner };
}
