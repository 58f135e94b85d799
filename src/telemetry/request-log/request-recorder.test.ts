import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { FaultyRequestLog } from '../../../test/support/faulty-request-log.ts';
import { sampleEndedCall } from '../../../test/support/sample-ended-call.ts';
import { emptyFolder } from '../../../test/support/weir-process.ts';
import { limits } from '../../kernel/limits.ts';
import { storageUnavailable } from '../../kernel/ports/storage-unavailable.ts';
import { openEmptyDatabase } from '../../testing/empty-database.ts';
import { estimateBytes } from './call-batch.ts';
import { toLoggedCall } from './logged-call.ts';
import { RequestRecorder } from './request-recorder.ts';

test('calls are stored together, in one batch', async (t) => {
  const { recorder, faulty, log } = await setUp(t);
  const calls = Array.from({ length: 3 }, () => sampleEndedCall());
  for (const call of calls) recorder.record(call);
  assert.equal(recorder.waiting, 3);
  assert.equal(await recorder.flush(60_000), true);
  assert.equal(recorder.waiting, 0);
  assert.deepEqual(faulty.adds, [3]);
  const stored = await Promise.all(calls.map(({ id }) => log.find(id, undefined)));
  assert.deepEqual(
    stored,
    calls.map((call) => toLoggedCall(call)),
  );
});

test('what was recorded is stored by itself, again and again', async (t) => {
  const { recorder, log } = await setUp(t, { flushMs: 10 });
  for (let round = 0; round < 3; round++) {
    const call = sampleEndedCall();
    recorder.record(call);
    await eventually(() => log.find(call.id, undefined));
  }
});

test('a full batch is stored at once, and what follows goes into the next', async (t) => {
  const { recorder, faulty, log } = await setUp(t);
  const calls = Array.from({ length: log.rowsAtOnce + 1 }, () => sampleEndedCall());
  for (const call of calls) recorder.record(call);
  await eventually(() => log.find(calls[0]?.id ?? '', undefined));
  await recorder.flush(60_000);
  assert.deepEqual(faulty.adds, [log.rowsAtOnce, 1]);
});

test('calls that come while others are stored are not lost, and not stored twice', async (t) => {
  const { recorder, faulty, stored } = await setUp(t);
  faulty.afterAdd = () => {
    if (faulty.adds.length < 5) recorder.record(sampleEndedCall());
  };
  recorder.record(sampleEndedCall());
  for (let round = 0; round < 5; round++) await recorder.flush(60_000);
  assert.deepEqual(faulty.adds, [1, 1, 1, 1, 1]);
  assert.equal(await stored(), 5);
});

test('a flush is over when what was recorded before it is stored, whatever goes on', async (t) => {
  const { recorder, faulty } = await setUp(t);
  faulty.afterAdd = () => recorder.record(sampleEndedCall());
  recorder.record(sampleEndedCall());
  assert.equal(await recorder.flush(60_000), true);
  assert.equal(recorder.waiting, 1);
  faulty.afterAdd = () => undefined;
});

test('calls whose storing failed after it succeeded are there once', async (t) => {
  const { recorder, faulty, errors, stored } = await setUp(t, { flushMs: 1 });
  faulty.afterAdd = () => {
    if (faulty.adds.length <= 3) throw storageUnavailable('the connection was lost');
  };
  for (let at = 0; at < 7; at++) recorder.record(sampleEndedCall());
  assert.equal(await recorder.flush(60_000), true);
  assert.deepEqual(faulty.adds, [7, 7, 7, 7]);
  assert.equal(errors.length, 3);
  assert.equal(await stored(), 7);
});

test('while the log is unavailable, calls wait up to a bound; the rest is counted and reported once', async (t) => {
  const { recorder, faulty, drops, stored } = await setUp(t, {
    flushMs: 1,
    bytesMax: 10 * estimateBytes(toLoggedCall(sampleEndedCall())),
  });
  let away = true;
  faulty.beforeAdd = () => {
    if (away) throw storageUnavailable('away');
  };
  for (let at = 0; at < 25; at++) recorder.record(sampleEndedCall());
  assert.deepEqual([recorder.waiting, recorder.dropped, drops.count], [10, 15, 1]);
  assert.equal(await recorder.flush(20), false);
  for (let at = 0; at < 5; at++) recorder.record(sampleEndedCall());
  assert.deepEqual([recorder.waiting, recorder.dropped, drops.count], [10, 20, 1]);
  away = false;
  assert.equal(await recorder.flush(60_000), true);
  assert.deepEqual([recorder.waiting, await stored()], [0, 10]);
  away = true;
  for (let at = 0; at < 11; at++) recorder.record(sampleEndedCall());
  assert.deepEqual([recorder.dropped, drops.count], [21, 2], 'the next drop is reported, too');
  away = false;
});

test('the log is tried again by itself when it was away', async (t) => {
  const { recorder, faulty, log } = await setUp(t, { flushMs: 1 });
  faulty.beforeAdd = () => {
    if (faulty.adds.length < 4) throw storageUnavailable('away');
  };
  const call = sampleEndedCall();
  recorder.record(call);
  await eventually(() => log.find(call.id, undefined));
  assert.equal(faulty.adds.length, 4);
});

test('calls that the log refuses are given up after some tries, and don’t hold up the others', async (t) => {
  const { recorder, faulty, drops, stored } = await setUp(t, { flushMs: 1 });
  const poison = sampleEndedCall({ modelAsked: 'poison' });
  faulty.beforeAdd = (calls) => {
    if (calls.some(({ modelAsked }) => modelAsked === 'poison')) throw new Error('refused');
  };
  recorder.record(poison);
  await eventually(() => (faulty.adds.length > 0 ? true : undefined));
  recorder.record(sampleEndedCall());
  assert.equal(await recorder.flush(60_000), true);
  assert.deepEqual([recorder.dropped, drops.count, await stored()], [1, 1, 1]);
  assert.equal(faulty.adds.length, limits.requestLogRefusalsMax + 1);
});

test('storing that never ends is given up in time, and goes on later', async (t) => {
  const { recorder, faulty, stored } = await setUp(t);
  const { promise, resolve } = Promise.withResolvers<void>();
  faulty.beforeAdd = () => promise;
  recorder.record(sampleEndedCall());
  assert.equal(await recorder.flush(50), false);
  resolve();
  assert.equal(await recorder.flush(60_000), true);
  assert.equal(await stored(), 1);
});

test('of most calls a share has rows, failed and expensive ones all, and every call is in the sums', async (t) => {
  const { recorder, log, stored } = await setUp(t, { sampling: { share: 0.25, keptNanoUsd: 1000 } });
  const ends = ['00000000', '3fffffff', '40000000', 'ffffffff'];
  const usual = ends.map((end) => {
    const call = sampleEndedCall();
    return { ...call, id: `${call.id.slice(0, -end.length)}${end}` };
  });
  const kept = [{ status: 500 }, { ending: 'aborted' as const }, { costNanoUsd: 1000 }].map((fields) => ({
    ...sampleEndedCall(fields),
    id: `${sampleEndedCall().id.slice(0, -8)}ffffffff`,
  }));
  for (let round = 0; round < 2; round++) {
    for (const call of [...usual, ...kept]) recorder.record(call);
    await recorder.flush(60_000);
  }
  assert.equal(await stored(), 5);
  const weights = await Promise.all(
    [...usual, ...kept].map(async ({ id }) => (await log.find(id, undefined))?.weight),
  );
  assert.deepEqual(weights, [4, 4, undefined, undefined, 1, 1, 1]);
  const { kinds } = await log.sums({ accountId: undefined, fromMs: 0, toMs: 1e14, stepMs: 1e14 });
  assert.equal(
    kinds.reduce((sum, { requests }) => sum + requests, 0),
    7,
  );
});

test('who reads sees what was recorded before', async (t) => {
  const { recorder } = await setUp(t);
  const call = sampleEndedCall({ accountId: 'a' });
  recorder.record(call);
  assert.deepEqual(await recorder.find(call.id, 'a'), toLoggedCall(call));
  const next = sampleEndedCall({ accountId: 'a' });
  recorder.record(next);
  const { calls } = await recorder.page({ accountId: 'a', filter: {}, limit: 1 });
  assert.deepEqual(calls, [toLoggedCall(next)]);
});

/** A recorder that stores only when it is flushed, unless `flushMs` is given. */
async function setUp(
  t: TestContext,
  { flushMs = 3_600_000, bytesMax = 1e9, sampling = { share: 1, keptNanoUsd: 0 } } = {},
) {
  const database = await openEmptyDatabase(emptyFolder(t));
  t.after(() => database.close());
  const log = database.requests;
  const faulty = new FaultyRequestLog(log);
  const errors: unknown[] = [];
  const drops = { count: 0 };
  const recorder = new RequestRecorder({
    log: faulty,
    onError: (error) => errors.push(error),
    onDrop: () => drops.count++,
    flushMs,
    bytesMax,
    sampling,
  });
  const stored = async () => (await log.page({ accountId: undefined, filter: {}, limit: 1000 })).calls.length;
  return { recorder, log, faulty, errors, drops, stored };
}
