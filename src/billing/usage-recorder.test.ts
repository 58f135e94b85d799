import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { FaultyUsageStore } from '../../test/support/faulty-usage-store.ts';
import { emptyFolder } from '../../test/support/weir-process.ts';
import { GatewayError } from '../kernel/errors.ts';
import { limits } from '../kernel/limits.ts';
import { systemClock } from '../lib/clock.ts';
import { openEmptyDatabase } from '../testing/empty-database.ts';
import { UsageRecorder } from './usage-recorder.ts';
import type { RecordedCall } from './usage-tally.ts';

const noonMs = Date.UTC(2026, 10, 15, 12);
const november = { accountId: 'a', from: '2026-11-01', to: '2026-11-30' };
const usage = {
  input_tokens: 10,
  output_tokens: 20,
  cache_read_input_tokens: 30,
  cache_creation_input_tokens: 40,
};

test('calls are summed up by day, key, provider and model, and stored in one batch', async (t) => {
  const { recorder, book, faulty } = await setUp(t);
  for (let at = 0; at < 3; at++) recorder.recordCall(call({ usage, costNanoUsd: 5 }), noonMs);
  recorder.recordCall(call({ failed: true, periodStartMs: undefined }), noonMs);
  recorder.recordCall(call({ keyId: 'k2' }), noonMs);
  recorder.recordCall(call({ model: 'm2' }), noonMs);
  recorder.recordCall(call({ provider: 'other-provider' }), noonMs);
  recorder.recordCall(call({ accountId: 'b' }), noonMs);
  recorder.recordCall(call(), noonMs + 86_400_000);
  assert.equal(recorder.waiting, 6);
  assert.equal(await recorder.flush(60_000), true);
  assert.equal(recorder.waiting, 0);
  assert.equal(faulty.adds, 1);
  const days = await book.days(november);
  assert.deepEqual(
    days.map(({ day, keyId, provider, model, requests }) => [day, keyId, provider, model, requests]),
    [
      ['2026-11-15', 'k1', 'demo', 'demo-1', 4],
      ['2026-11-15', 'k1', 'demo', 'm2', 1],
      ['2026-11-15', 'k1', 'other-provider', 'demo-1', 1],
      ['2026-11-15', 'k2', 'demo', 'demo-1', 1],
      ['2026-11-16', 'k1', 'demo', 'demo-1', 1],
    ],
  );
  const { accountId, day, keyId, provider, model, ...sums } = days[0] ?? assert.fail();
  assert.deepEqual(sums, {
    requests: 4,
    failed: 1,
    inputTokens: 30,
    outputTokens: 60,
    cacheReadTokens: 90,
    cacheWriteTokens: 120,
    costNanoUsd: 15,
  });
  assert.equal((await book.quotaUsage('a', 1)).calls, 7);
  assert.equal((await book.quotaUsage('b', 1)).calls, 1);
});

test('the usage of attempts is recorded under their targets, and the call counts once', async (t) => {
  const { recorder, book } = await setUp(t);
  const attempt = { accountId: 'a', keyId: 'k1', model: 'demo-1' };
  recorder.recordCall(call({ usage: undefined }), noonMs);
  recorder.recordAttempt({ ...attempt, provider: 'demo', usage, costNanoUsd: 5 }, noonMs);
  recorder.recordAttempt({ ...attempt, provider: 'other-provider', usage, costNanoUsd: 7 }, noonMs);
  recorder.recordAttempt({ ...attempt, provider: 'other-provider', usage, costNanoUsd: undefined }, noonMs);
  assert.equal(recorder.waiting, 2);
  assert.equal(recorder.unflushedCalls('a', 1), 1);
  assert.equal(await recorder.flush(60_000), true);
  const days = await book.days(november);
  assert.deepEqual(
    days.map(({ provider, requests, inputTokens, outputTokens, costNanoUsd }) => [
      provider,
      [requests, inputTokens, outputTokens, costNanoUsd],
    ]),
    [
      ['demo', [1, 10, 20, 5]],
      ['other-provider', [0, 20, 40, 7]],
    ],
  );
  assert.equal((await book.quotaUsage('a', 1)).calls, 1);
});

test('usage counts for each tag of a call and its attempts, before and after it is stored', async (t) => {
  const { recorder, book } = await setUp(t);
  const attempt = { accountId: 'a', keyId: 'k1', provider: 'demo', model: 'demo-1' };
  const tags = { env: 'prod', team: 'search' };
  recorder.recordCall(call({ usage: undefined, tags, failed: true }), noonMs);
  recorder.recordAttempt({ ...attempt, usage, costNanoUsd: 5, tags }, noonMs);
  recorder.recordAttempt({ ...attempt, usage, costNanoUsd: 7, tags: { team: 'ads' } }, noonMs);
  recorder.recordCall(call(), noonMs);
  const figures = async (days: ReturnType<typeof book.tags>) =>
    (await days).map(({ tag, value, requests, failed, inputTokens, costNanoUsd }) => [
      `${tag}=${value}`,
      [requests, failed, inputTokens, costNanoUsd],
    ]);
  const expected = [
    ['env=prod', [1, 1, 10, 5]],
    ['team=ads', [0, 0, 10, 7]],
    ['team=search', [1, 1, 10, 5]],
  ];
  assert.deepEqual((await figures(recorder.tags(november))).sort(), expected);
  assert.deepEqual(await figures(recorder.tags({ ...november, tag: 'env' })), expected.slice(0, 1));
  assert.equal(await recorder.flush(60_000), true);
  assert.deepEqual(await figures(book.tags(november)), expected);
  assert.deepEqual(await figures(recorder.tags(november)), expected);
});

test('what an attempt used is stored by itself, also where no call is recorded', async (t) => {
  const { recorder, book } = await setUp(t, { flushMs: 10 });
  const { failed, periodStartMs, ...attempt } = call();
  recorder.recordAttempt({ ...attempt, usage, costNanoUsd: 5 }, noonMs);
  await eventually(async () => ((await book.days(november))[0]?.costNanoUsd === 5 ? true : undefined));
  assert.equal((await book.quotaUsage('a', 1)).calls, 0);
});

test('what was recorded is stored by itself', async (t) => {
  const { recorder, book } = await setUp(t, { flushMs: 10 });
  for (const round of [1, 2]) {
    recorder.recordCall(call(), noonMs);
    await eventually(async () => ((await book.quotaUsage('a', 1)).calls === round ? true : undefined));
  }
});

test('a batch whose storing failed after it succeeded is counted once', async (t) => {
  const { recorder, book, faulty } = await setUp(t, { flushMs: 10 });
  const ids = new Set<string>();
  faulty.afterAdd = ({ id }) => {
    ids.add(id);
    if (faulty.adds <= 3) throw new Error('the connection was lost');
  };
  recorder.recordCall(call(), noonMs);
  assert.equal(await recorder.flush(60_000), true);
  assert.equal(faulty.adds, 4);
  assert.equal(ids.size, 1);
  assert.equal((await book.quotaUsage('a', 1)).calls, 1);
});

test('while the book is away calls go on being summed up, and none is lost', async (t) => {
  const { recorder, book, faulty, errors } = await setUp(t, { flushMs: 5 });
  let away = true;
  faulty.beforeAdd = () => {
    if (away) throw new Error('away');
  };
  recorder.recordCall(call(), noonMs);
  await eventually(() => (recorder.failedRounds >= 2 ? true : undefined));
  for (let at = 0; at < 10; at++) recorder.recordCall(call(), noonMs);
  assert.equal(recorder.unflushedCalls('a', 1), 11);
  assert.equal(await recorder.flush(50), false);
  assert.ok(errors.length >= 2);
  away = false;
  assert.equal(await recorder.flush(60_000), true);
  assert.equal((await book.quotaUsage('a', 1)).calls, 11);
  assert.equal(recorder.failedRounds, 0);
});

test('a batch that the book refuses does not hold up the others', async (t) => {
  const { recorder, book, faulty } = await setUp(t, { flushMs: 5 });
  faulty.beforeAdd = ({ days }) => {
    if (days.some(({ model }) => model === 'poison')) throw new Error('refused');
  };
  recorder.recordCall(call({ model: 'poison' }), noonMs);
  await eventually(() => (recorder.failedRounds > 0 ? true : undefined));
  recorder.recordCall(call({ model: 'food' }), noonMs);
  await eventually(async () => ((await book.quotaUsage('a', 1)).calls === 1 ? true : undefined));
  assert.equal(recorder.unflushedCalls('a', 1), 1);
});

test('storing that never ends is given up in time', async (t) => {
  const { recorder, faulty } = await setUp(t);
  const { promise, resolve } = Promise.withResolvers<void>();
  faulty.beforeAdd = () => promise;
  recorder.recordCall(call(), noonMs);
  assert.equal(await recorder.flush(50), false);
  resolve();
  assert.equal(await recorder.flush(60_000), true);
});

test('models that clients invent are summed up as "other" past a bound, and no call is lost', async (t) => {
  const { recorder, book } = await setUp(t, { sumsMax: 10 });
  recorder.recordCall(call({ model: 'known' }), noonMs);
  for (let at = 0; at < 100; at++) recorder.recordCall(call({ model: `model ${at}` }), noonMs);
  recorder.recordCall(call({ model: 'known' }), noonMs);
  assert.equal(recorder.waiting, 11);
  for (let at = 0; at < 100; at++) recorder.recordCall(call({ keyId: `key ${at}`, model: 'new' }), noonMs);
  assert.equal(recorder.waiting, 21);
  assert.equal(await recorder.flush(60_000), true);
  const days = await book.days(november);
  const requests = (model: string) =>
    days.filter((row) => row.model === model).reduce((sum, row) => sum + row.requests, 0);
  assert.equal(requests('known'), 2);
  assert.equal(requests('other'), 91 + 100);
  assert.equal(
    days.reduce((sum, row) => sum + row.requests, 0),
    202,
  );
  assert.equal((await book.quotaUsage('a', 1)).calls, 202);
});

test('names that a database would refuse are stored as far as they can be', async (t) => {
  const { recorder, book } = await setUp(t);
  for (let at = 0; at < 2; at++) {
    recorder.recordCall(call({ model: 'a\0b' }), noonMs);
    recorder.recordCall(call({ model: 'c\ud800d' }), noonMs);
    recorder.recordCall(call({ model: 'x'.repeat(100_000) }), noonMs);
  }
  assert.equal(recorder.waiting, 3);
  assert.equal(await recorder.flush(60_000), true);
  const days = await book.days(november);
  assert.deepEqual(
    days.map(({ model, requests }) => [model, requests]),
    [
      ['a\ufffdb', 2],
      ['c\ufffdd', 2],
      ['x'.repeat(limits.modelNameMax), 2],
    ],
  );
});

test('figures that can not be are left out', async (t) => {
  const { recorder, book } = await setUp(t);
  for (const figure of [Number.NaN, -1, 1.5, 1e300, Number.POSITIVE_INFINITY, 7])
    recorder.recordCall(call({ usage: { input_tokens: figure }, costNanoUsd: figure }), noonMs);
  assert.equal(await recorder.flush(60_000), true);
  const [row] = await book.days(november);
  assert.deepEqual([row?.requests, row?.inputTokens, row?.costNanoUsd], [6, 7, 7]);
});

test('what modules saved, spent and tried is summed up by module, stored or not', async (t) => {
  const { recorder, book } = await setUp(t);
  const work = { accountId: 'a', module: 'patterns' };
  recorder.recordModule({ ...work, savedNanoUsd: -4 }, noonMs);
  recorder.recordModule({ ...work, spentNanoUsd: 10 }, noonMs);
  recorder.recordModule({ ...work, calls: 1 }, noonMs);
  const trial = { isHeldOut: false, costNanoUsd: 1e9, beforeNanoUsd: undefined };
  recorder.recordModule({ ...work, trial }, noonMs);
  assert.equal(await recorder.flush(60_000), true);
  // The same conversation goes on: its cost is squared as a whole.
  recorder.recordModule({ ...work, trial: { ...trial, costNanoUsd: 2e9, beforeNanoUsd: 1e9 } }, noonMs);
  recorder.recordModule({ ...work, trial: { ...trial, isHeldOut: true } }, noonMs);
  recorder.recordModule({ ...work, accountId: 'b', savedNanoUsd: 5 }, noonMs);
  assert.equal((await recorder.modules(november)).length, 2);
  assert.equal(await recorder.flush(60_000), true);
  const sum = {
    ...work,
    day: '2026-11-15',
    calls: 1,
    savedNanoUsd: -4,
    spentNanoUsd: 10,
    with: { conversations: 1, costNanoUsd: 3e9, squaredUsd: 9 },
    without: { conversations: 1, costNanoUsd: 1e9, squaredUsd: 1 },
  };
  assert.deepEqual(await book.modules(november), [sum]);
  assert.deepEqual(await recorder.modules(november), [sum]);
});

test('past the most sums the modules of an account are one', async (t) => {
  const { recorder } = await setUp(t, { sumsMax: 2 });
  for (const module of ['a', 'b', 'c', 'd', 'a'])
    recorder.recordModule({ accountId: 'a', module, savedNanoUsd: 1 }, noonMs);
  assert.deepEqual(
    (await recorder.modules(november)).map(({ module, savedNanoUsd }) => [module, savedNanoUsd]),
    [
      ['a', 2],
      ['b', 1],
      ['other', 2],
    ],
  );
});

test('a call is counted once while it is on its way to the book', async (t) => {
  const { recorder, faulty } = await setUp(t);
  const stored = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  faulty.afterAdd = () => {
    stored.resolve();
    return answered.promise;
  };
  recorder.recordCall(call(), noonMs);
  const flushed = recorder.flush(60_000);
  await stored.promise;
  const counted = recorder.recordedCalls('a', 1);
  const days = recorder.days(november);
  assert.equal(faulty.counts, 0);
  recorder.recordCall(call(), noonMs);
  answered.resolve();
  assert.equal(await counted, 2);
  assert.equal(
    (await days).reduce((sum, { requests }) => sum + requests, 0),
    2,
  );
  await flushed;
});

test('a count that was read before a batch was stored is read again', async (t) => {
  const { recorder, faulty } = await setUp(t);
  recorder.recordCall(call(), noonMs);
  faulty.afterCounted = async () => {
    faulty.afterCounted = () => undefined;
    await recorder.flush(60_000);
  };
  assert.equal(await recorder.recordedCalls('a', 1), 1);
  assert.equal(faulty.counts, 2);
});

test('a count that can not be read in peace is not guessed', async (t) => {
  const { recorder, faulty } = await setUp(t);
  faulty.afterCounted = async () => {
    recorder.recordCall(call(), noonMs);
    await recorder.flush(60_000);
  };
  await assert.rejects(
    recorder.recordedCalls('a', 1),
    (error) => GatewayError.is(error) && error.code === 'storage_unavailable',
  );
});

function call(changes: Partial<RecordedCall> = {}): RecordedCall {
  return {
    accountId: 'a',
    keyId: 'k1',
    provider: 'demo',
    model: 'demo-1',
    failed: false,
    periodStartMs: 1,
    usage: {},
    costNanoUsd: undefined,
    ...changes,
  };
}

/** A recorder that stores only when it is flushed, unless `flushMs` is given. */
async function setUp(t: TestContext, { flushMs = 3_600_000, sumsMax = 1000 } = {}) {
  const database = await openEmptyDatabase(emptyFolder(t));
  t.after(() => database.close());
  const faulty = new FaultyUsageStore(database.usage);
  const errors: unknown[] = [];
  const recorder = new UsageRecorder({
    usageStore: faulty,
    clock: systemClock,
    onError: (error) => errors.push(error),
    flushMs,
    sumsMax,
  });
  t.after(() => recorder.flush(0));
  return { recorder, book: database.usage, faulty, errors };
}
