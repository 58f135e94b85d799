import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { FaultyUsageStore } from '../../test/support/faulty-usage-store.ts';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { emptyFolder } from '../../test/support/weir-process.ts';
import { openEmptyDatabase } from '../testing/empty-database.ts';
import { limits } from './limits.ts';
import { Reservations, type SettledAmounts } from './reservations.ts';

const calls = { accountId: 'a', of: 'calls', keyId: '', periodStartMs: 1 } as const;

interface ReservationTimes {
  readonly trimMs?: number;
  readonly waitMs?: number;
}

async function setUp(t: TestContext, { trimMs = 3_600_000, waitMs = 60_000 }: ReservationTimes = {}) {
  const database = await openEmptyDatabase(emptyFolder(t));
  t.after(() => database.close());
  const usageStore = new FaultyUsageStore(database.usage);
  const clock = new ManualClock();
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const reservations = new Reservations({ usageStore, clock, onError, trimMs, waitMs });
  const reserve = reservations.reserveFor(calls, 1e13);
  reserve.aheadMax = 1000;
  const inBook = async () => {
    const { calls: stored, reserved } = await database.usage.quotaUsage('a', 1);
    return { stored, reserved: reserved.reduce((sum, { amount }) => sum + amount, 0) };
  };
  let batches = 0;
  const store = (settled: SettledAmounts, counted: number) =>
    reservations.storeBatch(settled, (reserved) =>
      usageStore.add({
        id: `batch ${++batches}`,
        atMs: 1,
        days: [],
        counted: [{ ...calls, calls: counted }],
        reserved,
      }),
    );
  return { book: usageStore, clock, errors, reservations, reserve, inBook, store };
}

test('the first call waits for the database, and costs no more than itself', async (t) => {
  const { book, reservations, reserve, inBook } = await setUp(t);
  const reserving = reservations.cover(reserve, 1);
  assert.ok(reserving instanceof Promise);
  await reserving;
  assert.deepEqual(await inBook(), { stored: 0, reserved: 1 });
  assert.equal(book.reserves, 1);
});

test('calls that come at once share a write, and many calls take few', async (t) => {
  const { book, reservations, reserve, inBook } = await setUp(t);
  await Promise.all(Array.from({ length: 50 }, () => reservations.cover(reserve, 1)));
  assert.equal(book.reserves, 1);
  for (let at = 0; at < 950; at++) await reservations.cover(reserve, 1);
  assert.ok(book.reserves < 50, String(book.reserves));
  const { reserved } = await inBook();
  assert.ok(reserved >= 1000 && reserved <= 1000 + 1000 / 4, String(reserved));
});

test('where little is left, nothing is reserved ahead', async (t) => {
  const { reservations, reserve, inBook } = await setUp(t);
  reserve.aheadMax = 0.5;
  for (let at = 1; at <= 40; at++) {
    await reservations.cover(reserve, 1);
    assert.deepEqual(await inBook(), { stored: 0, reserved: at });
  }
});

test('what is stored needs no reservation from the same moment on', async (t) => {
  const { reservations, reserve, inBook, store } = await setUp(t);
  const page = reservations.startBatch();
  for (let at = 0; at < 3; at++) await reservations.cover(reserve, 1);
  reservations.settle(reserve, 1, 1);
  reservations.settle(reserve, 1, 0);
  reservations.startBatch();
  await store(page, 1);
  assert.deepEqual(await inBook(), { stored: 1, reserved: 1 });
});

test('whatever fails, the database never says less than was let through', async (t) => {
  const { book, reservations, reserve, inBook, store } = await setUp(t);
  let page = reservations.startBatch();
  let [letThrough, over, inPage, tries] = [0, false, 0, 0];
  book.beforeAdd = () => {
    if (++tries % 3 === 0) throw new Error('not stored');
  };
  book.afterAdd = () => {
    if (tries % 4 === 0) throw new Error('stored, but the response was lost');
  };
  const calling = async () => {
    for (let at = 0; at < 300; at++) {
      await reservations.cover(reserve, 1);
      letThrough++;
      reservations.settle(reserve, 1, 1);
      inPage++;
    }
  };
  const storing = async () => {
    while (!over || inPage > 0) {
      const [sealed, counted] = [page, inPage];
      page = reservations.startBatch();
      inPage = 0;
      await storedAtLast(sealed, counted);
    }
  };
  const storedAtLast = async (sealed: SettledAmounts, counted: number) => {
    const id = `batch of ${letThrough} ${tries}`;
    const add = (reserved: Parameters<Parameters<Reservations['storeBatch']>[1]>[0]) =>
      book.add({ id, atMs: 1, days: [], counted: [{ ...calls, calls: counted }], reserved });
    while (
      !(await reservations.storeBatch(sealed, add).then(
        () => true,
        () => false,
      ))
    );
  };
  const watching = async () => {
    while (!over) {
      const before = letThrough;
      const { stored, reserved } = await inBook();
      assert.ok(stored + reserved >= before, `${stored} and ${reserved} of ${before}`);
    }
  };
  const callers = Promise.all([calling(), calling(), calling()]).then(() => {
    over = true;
  });
  await Promise.all([callers, storing(), watching()]);
  book.beforeAdd = () => undefined;
  book.afterAdd = () => undefined;
  await store(new Map(), 0);
  await reservations.close();
  assert.deepEqual(await inBook(), { stored: 900, reserved: 0 });
});

test('calls continue while the database is unavailable, and are recorded when it is back', async (t) => {
  const { book, errors, reservations, reserve, inBook } = await setUp(t, { trimMs: 10, waitMs: 50 });
  book.beforeReserve = () => {
    throw new Error('away');
  };
  await reservations.cover(reserve, 1);
  assert.equal(reservations.isUnavailable, true);
  assert.equal(reservations.cover(reserve, 1), undefined);
  assert.equal(errors.length, 1);
  book.beforeReserve = () => undefined;
  await eventually(async () =>
    (await inBook()).reserved >= 2 && !reservations.isUnavailable ? true : undefined,
  );
  reservations.settle(reserve, 2, 0);
  await eventually(async () => ((await inBook()).reserved === 1 ? true : undefined));
});

test('an unused reservation is returned after a while, and an open one stays', async (t) => {
  const { reservations, reserve, inBook } = await setUp(t, { trimMs: 10 });
  for (let at = 0; at < 40; at++) await reservations.cover(reserve, 1);
  reservations.settle(reserve, 38, 0);
  await eventually(async () => ((await inBook()).reserved === 2 ? true : undefined));
});

test('one call of an account stays reserved, so that the next costs no write', async (t) => {
  const { book, reservations, reserve, inBook, store } = await setUp(t);
  for (let at = 1; at <= 3; at++) {
    const batch = reservations.startBatch();
    const reserving = reservations.cover(reserve, 1);
    assert.equal(reserving === undefined, at > 1);
    await reserving;
    reservations.settle(reserve, 1, 1);
    reservations.startBatch();
    await store(batch, 1);
    assert.deepEqual(await inBook(), { stored: at, reserved: 1 });
  }
  assert.equal(book.reserves, 1);
  // Near the cap it is returned with the next batch.
  reserve.aheadMax = 0.5;
  const last = reservations.startBatch();
  await reservations.cover(reserve, 1);
  reservations.settle(reserve, 1, 1);
  await store(last, 1);
  assert.deepEqual(await inBook(), { stored: 4, reserved: 0 });
});

test('the reserved call of an account is returned when it was not used for two renewals', async (t) => {
  const { book, clock, reservations, reserve, inBook } = await setUp(t, { trimMs: 10 });
  await reservations.cover(reserve, 1);
  reservations.settle(reserve, 1, 0);
  clock.move(limits.reservationRenewalMs);
  await eventually(async () => ((await book.reserved(calls))[0]?.atMs === clock.now() ? true : undefined));
  assert.equal((await inBook()).reserved, 1);
  clock.move(limits.reservationRenewalMs);
  await eventually(async () => ((await inBook()).reserved === 0 ? true : undefined));
});

test('what is open for long is written anew, so that it is known to be alive', async (t) => {
  const { book, clock, reservations, reserve } = await setUp(t, { trimMs: 10 });
  await reservations.cover(reserve, 1);
  clock.move(limits.reservationRenewalMs);
  await eventually(async () => {
    const [only] = await book.reserved(calls);
    return only?.atMs === clock.now() ? true : undefined;
  });
});

test('a clean stop gives back what nothing came of', async (t) => {
  const { reservations, reserve, inBook } = await setUp(t);
  for (let at = 0; at < 40; at++) await reservations.cover(reserve, 1);
  reservations.settle(reserve, 39, 0);
  await reservations.close();
  assert.deepEqual(await inBook(), { stored: 0, reserved: 1 });
});

test('reservations of other processes are distinguished from its own', async (t) => {
  const { book, reservations, reserve } = await setUp(t);
  await reservations.cover(reserve, 1);
  const killed = { ...calls, processId: 'killed', amount: 9, atMs: 1, untilMs: 1e13 };
  await book.reserve([killed]);
  assert.deepEqual(await reservations.reservedByOthers(calls), [killed]);
});
