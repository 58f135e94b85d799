import assert from 'node:assert/strict';
import { appendFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { FaultyRequestLog } from '../../../test/support/faulty-request-log.ts';
import { sampleEndedCall } from '../../../test/support/sample-ended-call.ts';
import { emptyFolder } from '../../../test/support/weir-process.ts';
import { limits } from '../../kernel/limits.ts';
import { storageUnavailable } from '../../kernel/ports/storage-unavailable.ts';
import { openEmptyDatabase } from '../../testing/empty-database.ts';
import { Journal } from './journal.ts';
import { toLoggedCall } from './logged-call.ts';
import { RequestRecorder } from './request-recorder.ts';

test('calls that a killed process had not stored are stored by the next', async (t) => {
  const { log, recorder, written, pages } = await setUp(t);
  const calls = Array.from({ length: log.rowsAtOnce - 1 }, () => sampleEndedCall());
  const killed = recorder();
  for (const call of calls) killed.record(call);
  await written(calls.length);
  await recorder().recover();
  const stored = await Promise.all(calls.map(({ id }) => log.find(id, undefined)));
  assert.deepEqual(
    stored,
    calls.map((call) => toLoggedCall(call)),
  );
  assert.deepEqual(pages(), []);
});

test('calls are written while others are, and in the order in which they came', async (t) => {
  const { recorder, written } = await setUp(t);
  const one = recorder();
  const ids: string[] = [];
  for (let at = 1; at <= 20; at++) {
    const call = sampleEndedCall();
    ids.push(call.id);
    one.record(call);
    if (at % 3 === 0) assert.deepEqual(await written(at), ids);
  }
});

test('what is stored leaves no file, and the files are for their owner’s eyes', async (t) => {
  const { recorder, written, pages, folder } = await setUp(t);
  const one = recorder();
  one.record(sampleEndedCall());
  await written(1);
  assert.equal(statSync(join(folder, String(pages()[0]))).mode & 0o777, 0o600);
  assert.equal(await one.flush(60_000), true);
  assert.deepEqual(pages(), []);
  // Also where it is stored before it could be written.
  one.record(sampleEndedCall());
  assert.equal(await one.flush(60_000), true);
  assert.deepEqual(pages(), []);
});

test('a line that was cut is left out, and the others are stored', async (t) => {
  const { recorder, written, pages, folder, stored } = await setUp(t);
  const killed = recorder();
  killed.record(sampleEndedCall());
  await written(1);
  appendFileSync(join(folder, String(pages()[0])), '[{"id":"req_0');
  await recorder().recover();
  assert.equal(await stored(), 1);
  assert.deepEqual(pages(), []);
});

test('taking over the page of a process that lives stores its calls once', async (t) => {
  const { recorder, written, stored } = await setUp(t);
  const living = recorder();
  living.record(sampleEndedCall());
  await written(1);
  await Promise.all([recorder().recover(), recorder().recover()]);
  living.record(sampleEndedCall());
  assert.equal(await living.flush(60_000), true);
  assert.equal(await stored(), 2);
});

test('a process whose page was taken over loses nothing by a kill, neither what it wrote meanwhile nor after', async (t) => {
  const { recorder, faulty, written, stored, pages } = await setUp(t);
  const living = recorder();
  living.record(sampleEndedCall());
  await written(1);
  // While the one that starts has read the page, and not removed it yet.
  faulty.beforeAdd = async () => {
    faulty.beforeAdd = () => undefined;
    living.record(sampleEndedCall());
    await written(2);
  };
  await recorder().recover();
  assert.equal(await stored(), 2);
  living.record(sampleEndedCall());
  await eventually(() => (pages().length === 1 ? true : undefined));
  await recorder().recover();
  assert.equal(await stored(), 3);
  assert.deepEqual(pages(), []);
});

test('a log that is away leaves pages for the next start, one that refuses them does not', async (t) => {
  const { recorder, faulty, written, pages, errors, stored } = await setUp(t);
  recorder().record(sampleEndedCall());
  await written(1);
  faulty.beforeAdd = () => {
    throw storageUnavailable('away');
  };
  await recorder().recover();
  assert.deepEqual([pages().length, errors.length], [1, 1]);
  faulty.beforeAdd = () => {
    throw new Error('refused');
  };
  await recorder().recover();
  assert.deepEqual([pages().length, errors.length, await stored()], [0, 2, 0]);
});

test('calls that are given up leave no page', async (t) => {
  const { recorder, faulty, written, pages } = await setUp(t, { flushMs: 1 });
  faulty.beforeAdd = async () => {
    await written(1).catch(() => undefined);
    throw new Error('refused');
  };
  recorder().record(sampleEndedCall());
  await eventually(() => (faulty.adds.length >= limits.requestLogRefusalsMax ? true : undefined));
  await eventually(() => (pages().length === 0 ? true : undefined));
});

test('calls are stored even if the journal can’t be written, and that is reported once', async (t) => {
  const { recorder, folder, stored, broken } = await setUp(t);
  rmSync(folder, { recursive: true });
  writeFileSync(folder, 'no folder');
  const one = recorder();
  for (let round = 1; round <= 2; round++) {
    one.record(sampleEndedCall());
    await eventually(() => (broken.length > 0 ? true : undefined));
    assert.equal(await one.flush(60_000), true);
  }
  assert.deepEqual([await stored(), broken.length], [2, 1]);
});

async function setUp(t: TestContext, { flushMs = 3_600_000 } = {}) {
  const database = await openEmptyDatabase(emptyFolder(t));
  t.after(() => database.close());
  const folder = emptyFolder(t);
  const log = database.requests;
  const faulty = new FaultyRequestLog(log);
  const errors: unknown[] = [];
  const broken: unknown[] = [];
  const recorder = () =>
    new RequestRecorder({
      log: faulty,
      journal: new Journal({ folder, name: 'requests', delayMs: 0, onError: (error) => broken.push(error) }),
      onError: (error) => errors.push(error),
      flushMs,
    });
  const pages = () => readdirSync(folder);
  /** The ids of the calls in all pages, once there are so many. */
  const written = (count: number) =>
    eventually(() => {
      const text = pages()
        .map((name) => readFileSync(join(folder, name), 'utf8'))
        .join('');
      const ids = [...text.matchAll(/\["(req_\w+)"/g)].map(([, id]) => id);
      return ids.length >= count ? ids : undefined;
    });
  const stored = async () => (await log.page({ accountId: undefined, filter: {}, limit: 1000 })).calls.length;
  return { log, faulty, folder, recorder, pages, written, stored, errors, broken };
}
