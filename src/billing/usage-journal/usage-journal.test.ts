import assert from 'node:assert/strict';
import { appendFileSync, cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { at } from '../../../test/support/at.ts';
import { FaultyUsageStore } from '../../../test/support/faulty-usage-store.ts';
import { emptyFolder } from '../../../test/support/weir-process.ts';
import { storageUnavailable } from '../../kernel/ports/storage-unavailable.ts';
import { systemClock } from '../../lib/clock.ts';
import { nextTurn } from '../../lib/queue-immediate.ts';
import { openEmptyDatabase } from '../../testing/empty-database.ts';
import { limits } from '../limits.ts';
import { UsageRecorder } from '../usage-recorder.ts';
import { BatchFile } from './batch-file.ts';
import { createLock, lockOfDeadProcess } from './file-lock.ts';

const noonMs = Date.UTC(2026, 10, 15, 12);
const november = { accountId: undefined, from: '2026-11-01', to: '2026-11-30' };
const month = { accountId: 'a', of: 'calls', keyId: '', periodStartMs: 1 } as const;
const money = { accountId: 'a', of: 'spending', keyId: 'k1', periodStartMs: 0 } as const;
const nobody = async () => false;
const usage = { input_tokens: 3, output_tokens: 4 };

test('the usage of a killed process is stored by the next, and its reservations become usage', async (t) => {
  const { recorder, killed, book } = await setUp(t);
  const one = recorder();
  for (const reserve of [one.reservations.reserveFor(month), one.reservations.reserveFor(money)])
    await one.reservations.cover(reserve, 10);
  recordCalls(one, 3);
  one.recordModule({ accountId: 'a', module: 'm', savedNanoUsd: 9 }, noonMs);
  one.reservations.settle(one.reservations.reserveFor(month), 3, 3);
  one.reservations.settle(one.reservations.reserveFor(money), 10, 10);
  await nextTurn();
  const usageOf = (of: Pick<UsageRecorder, 'days' | 'modules' | 'tags'>) =>
    Promise.all([of.days(november), of.modules(november), of.tags(november)]);
  const recorded = await usageOf(one);
  const [days, , tags] = recorded;
  const folder = killed();
  await recorder({ folder }).recover(nobody);
  assert.deepEqual(await usageOf(book), recorded);
  assert.deepEqual([days[0]?.requests, tags[0]?.requests], [3, 3]);
  const { calls, reserved } = await book.quotaUsage('a', 1);
  assert.deepEqual([calls, reserved.map(({ amount }) => amount)], [3, [7]]);
  assert.deepEqual(await book.reserved(money), []);
  assert.deepEqual(readdirSync(folder), []);
});

test('a batch that was stored just before the kill is not stored again', async (t) => {
  const { recorder, killed, book } = await setUp(t);
  const one = recorder();
  await one.reservations.cover(one.reservations.reserveFor(month), 10);
  recordCalls(one, 3);
  one.reservations.settle(one.reservations.reserveFor(month), 3, 3);
  await nextTurn();
  const folder = killed();
  await one.flush(60_000);
  const before = await book.quotaUsage('a', 1);
  await Promise.all([recorder({ folder }).recover(nobody), recorder({ folder }).recover(nobody)]);
  assert.deepEqual(await book.quotaUsage('a', 1), before);
  assert.equal(before.calls, 3);
  assert.deepEqual(readdirSync(folder), []);
});

test('two processes that start at once store the usage of a killed one once', async (t) => {
  const { recorder, killed, book } = await setUp(t);
  recordCalls(recorder(), 3);
  await nextTurn();
  const folder = killed();
  await Promise.all([recorder({ folder }).recover(nobody), recorder({ folder }).recover(nobody)]);
  assert.equal((await book.quotaUsage('a', 1)).calls, 3);
});

test('the files of a live process stay, and it removes them when its usage is stored and when it stops', async (t) => {
  const { recorder, folder, book } = await setUp(t);
  const living = recorder();
  recordCalls(living, 1);
  await nextTurn();
  const names = readdirSync(folder);
  assert.deepEqual(names.map((name) => name.slice(name.lastIndexOf('.'))).sort(), ['.journal', '.lock']);
  for (const name of names) assert.equal(statSync(join(folder, name)).mode & 0o077, 0, name);
  await recorder().recover(nobody);
  assert.deepEqual(readdirSync(folder), names);
  recordCalls(living, 1);
  await nextTurn();
  await living.flush(60_000);
  assert.equal((await book.quotaUsage('a', 1)).calls, 2);
  assert.deepEqual(
    readdirSync(folder),
    names.filter((name) => name.endsWith('.lock')),
  );
  await living.close();
  assert.deepEqual(readdirSync(folder), []);
});

test('a line that was cut is left out, and the others are stored', async (t) => {
  const { recorder, killed, book } = await setUp(t);
  const one = recorder();
  recordCalls(one, 2);
  await nextTurn();
  const folder = killed();
  appendFileSync(join(folder, onlyFile(folder)), '{"rows":[],"figures":[[0,3,0');
  await recorder({ folder }).recover(nobody);
  assert.equal((await book.quotaUsage('a', 1)).calls, 2);
});

test('a file that is no journal is set aside with one message, and the others are stored', async (t) => {
  const { recorder, killed, book, recoveryErrors } = await setUp(t);
  recordCalls(recorder(), 2);
  await nextTurn();
  const folder = killed();
  writeFileSync(
    join(folder, 'other.batch.journal'),
    '{"rows":[{"number":0,"kind":"days","row":{}}],"figures":[]}\n',
  );
  for (let starts = 0; starts < 2; starts++) await recorder({ folder }).recover(nobody);
  assert.equal((await book.quotaUsage('a', 1)).calls, 2);
  assert.deepEqual(readdirSync(folder), ['other.batch.journal.rejected']);
  assert.equal(recoveryErrors.length, 1);
});

test('usage that the store does not take at the start waits for the next start', async (t) => {
  const { recorder, killed, book, faulty, recoveryErrors } = await setUp(t);
  recordCalls(recorder(), 2);
  await nextTurn();
  const folder = killed();
  faulty.beforeAdd = () => {
    throw storageUnavailable('away');
  };
  await recorder({ folder }).recover(nobody);
  assert.deepEqual([(await book.quotaUsage('a', 1)).calls, recoveryErrors.length], [0, 1]);
  faulty.beforeAdd = () => undefined;
  await recorder({ folder }).recover(nobody);
  assert.equal((await book.quotaUsage('a', 1)).calls, 2);
});

test('nothing is recovered of an account that was deleted', async (t) => {
  const { recorder, killed, book } = await setUp(t);
  const one = recorder();
  recordCalls(one, 1);
  recordCalls(one, 1, 'gone');
  one.recordModule({ accountId: 'gone', module: 'm', savedNanoUsd: 9 }, noonMs);
  await nextTurn();
  await recorder({ folder: killed() }).recover(async (accountId) => accountId === 'gone');
  assert.deepEqual(
    (await book.days(november)).map(({ accountId }) => accountId),
    ['a'],
  );
  assert.deepEqual(await book.modules(november), []);
  assert.equal((await book.quotaUsage('gone', 1)).calls, 0);
});

test('where nothing can be written calls continue with one message, and what is unstored is written later', async (t) => {
  const { recorder, folder, journalErrors, book, killed } = await setUp(t);
  rmSync(folder, { recursive: true });
  writeFileSync(folder, 'no folder');
  const one = recorder({ restMs: 0 });
  for (let calls = 0; calls < 3; calls++) {
    recordCalls(one, 1);
    await nextTurn();
  }
  assert.equal(journalErrors.length, 1);
  rmSync(folder);
  recordCalls(one, 1);
  await nextTurn();
  await recorder({ folder: killed() }).recover(nobody);
  assert.equal((await book.quotaUsage('a', 1)).calls, 4);
});

test('after a failed write nothing is written for a while', async (t) => {
  const { recorder, folder, journalErrors } = await setUp(t);
  rmSync(folder, { recursive: true });
  writeFileSync(folder, 'no folder');
  const one = recorder();
  recordCalls(one, 1);
  await nextTurn();
  rmSync(folder);
  recordCalls(one, 1);
  await nextTurn();
  assert.equal(journalErrors.length, 1);
  assert.throws(() => readdirSync(folder), { code: 'ENOENT' });
});

test('the file of a batch is rewritten before it grows without end', async (t) => {
  const path = join(emptyFolder(t), 'p.b.journal');
  const errors: unknown[] = [];
  const file = new BatchFile({
    path,
    canWrite: () => true,
    onWrite: (error) => error !== undefined && errors.push(error),
  });
  const row = { text: 'x'.repeat(limits.usageJournalBytes / 8), version: 0 };
  for (; row.version < 20; row.version++) {
    file.markChanged('modules', row);
    await nextTurn();
    assert.ok(statSync(path).size < limits.usageJournalBytes * 1.3);
  }
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  assert.equal(at(JSON.parse(String(lines.at(-1))), 'rows', 0, 'row', 'version'), 19);
  assert.deepEqual(errors, []);
  file.remove();
  assert.throws(() => statSync(path), { code: 'ENOENT' });
});

test('a lock belongs to one process until it is released', (t) => {
  const path = join(emptyFolder(t), 'p.lock');
  const lock = createLock(path);
  assert.equal(lockOfDeadProcess(path), undefined);
  lock.release();
  assert.throws(() => statSync(path), { code: 'ENOENT' });
  assert.ok(lockOfDeadProcess(path));
  writeFileSync(path, '');
  const taken = lockOfDeadProcess(path);
  assert.equal(lockOfDeadProcess(path), undefined);
  taken?.release();
  assert.throws(() => statSync(path), { code: 'ENOENT' });
});

function recordCalls(recorder: UsageRecorder, calls: number, accountId = 'a'): void {
  const of = { accountId, keyId: 'k1', provider: 'demo', model: 'demo-1', tags: { team: 'search' } };
  for (let call = 0; call < calls; call++) {
    recorder.recordAttempt({ ...of, usage, costNanoUsd: 5 }, noonMs);
    recorder.recordCall({ ...of, failed: false, periodStartMs: 1 }, noonMs);
  }
}

function onlyFile(folder: string): string {
  const [name, ...others] = readdirSync(folder);
  assert.ok(name !== undefined && others.length === 0);
  return name;
}

async function setUp(t: TestContext) {
  const database = await openEmptyDatabase(emptyFolder(t));
  t.after(() => database.close());
  const faulty = new FaultyUsageStore(database.usage);
  const folder = join(emptyFolder(t), 'usage-journal');
  cpSync(emptyFolder(t), folder, { recursive: true });
  const journalErrors: unknown[] = [];
  const recoveryErrors: unknown[] = [];
  const recorder = (options: { folder?: string; restMs?: number } = {}) => {
    const one = new UsageRecorder({
      usageStore: faulty,
      clock: systemClock,
      flushMs: 3_600_000,
      journal: {
        folder,
        onError: (error) => journalErrors.push(error),
        onRecoveryError: (error) => recoveryErrors.push(error),
        ...options,
      },
    });
    t.after(() => one.flush(0));
    return one;
  };
  /** A copy of the folder as a kill at this moment leaves it, where no process is alive. */
  const killed = () => {
    const copy = emptyFolder(t);
    cpSync(folder, copy, { recursive: true });
    for (const name of readdirSync(copy)) if (name.endsWith('.lock')) rmSync(join(copy, name));
    return copy;
  };
  return { recorder, killed, folder, book: database.usage, faulty, journalErrors, recoveryErrors };
}
