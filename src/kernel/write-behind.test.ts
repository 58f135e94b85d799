import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { storageUnavailable } from './ports/storage-unavailable.ts';
import { WriteBehind, type WriteBehindParts } from './write-behind.ts';

const hourMs = 3_600_000;

test('what was recorded is stored by itself, together, and then what came later', async (t) => {
  const { queue, record, stored } = setUp(t, { flushMs: 5 });
  record('a', 'b');
  assert.equal(queue.waiting, 2);
  await eventually(() => (queue.waiting === 0 ? true : undefined));
  record('c');
  await eventually(() => (queue.waiting === 0 ? true : undefined));
  assert.deepEqual(stored, ['ab', 'c']);
});

test('after failures the pauses double up to a bound, and are short again after a success', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { queue, record, store, tries } = setUp(t, { flushMs: 100, retryMsMax: 300 });
  store.fault = () => new Error('away');
  record('a');
  for (const pauseMs of [100, 200, 300, 300]) {
    const [before, round] = [tries.length, queue.failedRounds + 1];
    t.mock.timers.tick(pauseMs - 1);
    assert.equal(tries.length, before);
    t.mock.timers.tick(1);
    assert.equal(tries.length, before + 1);
    await turnsUntil(() => queue.failedRounds === round);
  }
  store.fault = () => undefined;
  t.mock.timers.tick(300);
  await turnsUntil(() => queue.waiting === 0);
  assert.equal(queue.failedRounds, 0);
  record('b');
  t.mock.timers.tick(100);
  assert.deepEqual(tries, ['a', 'a', 'a', 'a', 'a', 'b']);
});

test('a batch that was not stored is sent again as it was, and what came since follows it', async (t) => {
  const { queue, record, store, tries, errors } = setUp(t);
  store.fault = () => (tries.length === 1 ? new Error('the connection was lost') : undefined);
  record('a');
  await queue.storeOnce();
  record('b');
  assert.deepEqual(
    queue.batches.map((batch) => batch.join('')),
    ['b', 'a'],
  );
  await queue.storeOnce();
  assert.deepEqual(tries, ['a', 'a', 'b']);
  assert.equal(errors.length, 1);
});

test('one batch is stored at a time, and a full one doesn’t wait for its time', async (t) => {
  const { queue, record, store, tries } = setUp(t);
  const gate = Promise.withResolvers<void>();
  store.gate = gate.promise;
  for (const letters of ['ab', 'cd']) {
    record(...letters);
    queue.sealAndStore();
  }
  record('e');
  assert.deepEqual(tries, ['ab']);
  const flushed = queue.flush(hourMs);
  gate.resolve();
  assert.equal(await flushed, true);
  assert.deepEqual(tries, ['ab', 'cd', 'e']);
});

test('while the store fails a full batch has to wait for the next try', async (t) => {
  const { queue, record, store, tries } = setUp(t);
  store.fault = () => new Error('away');
  record('a');
  await queue.storeOnce();
  record('b', 'c');
  queue.sealAndStore();
  assert.deepEqual([tries, queue.waiting], [['a'], 3]);
  assert.deepEqual(queue.filling, []);
});

test('a batch that fails holds up the others, unless it is said how many may fail', async (t) => {
  for (const [failedMax, expected] of [
    [1, ['x', 'x', 'x']],
    [2, ['x', 'x', 'a', 'x', 'b']],
  ] as const) {
    const { queue, record, store, tries } = setUp(t, { failedMax });
    store.fault = (batch) => (batch === 'x' ? new Error('refused') : undefined);
    for (const name of ['x', 'a', 'b']) {
      record(name);
      await queue.storeOnce();
    }
    assert.deepEqual(tries, expected);
    assert.equal(queue.failedRounds, 3);
  }
});

test('no more batches are begun than may fail, and what comes then is gathered in the last', async (t) => {
  const { queue, record, store } = setUp(t, { failedMax: 2 });
  store.fault = () => new Error('away');
  for (const name of ['a', 'b', 'c', 'd']) {
    record(name);
    await queue.storeOnce();
  }
  assert.deepEqual(
    queue.batches.map((batch) => batch.join('')),
    ['cd', 'b', 'a'],
  );
});

test('a batch that is refused too often is dropped and counted; a store that is away refuses nothing', async (t) => {
  const giveUp = { isRejection: (error: unknown) => error === 'refused', rejectionsMax: 2 };
  const { queue, record, store, stored, drops } = setUp(t, { giveUp });
  const answers = ['away', 'refused', 'away', 'away', 'refused'];
  store.fault = () => answers.shift();
  record('x', 'y');
  for (let round = 0; round < 4; round++) await queue.storeOnce();
  assert.deepEqual([queue.waiting, queue.dropped], [2, 0]);
  record('a');
  await queue.storeOnce();
  assert.deepEqual([queue.waiting, queue.dropped, drops.count, stored], [0, 2, 1, ['a']]);
});

test('entries past the bound are dropped, counted, and reported once until half of the room is free', async (t) => {
  const { queue, record, drops } = setUp(t, { waitingMax: 4 });
  const fill = () => {
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) if (queue.hasRoom()) record(name);
  };
  fill();
  assert.deepEqual([queue.waiting, queue.dropped, drops.count], [4, 2, 1]);
  assert.equal(await queue.flush(hourMs), true);
  fill();
  assert.deepEqual([queue.waiting, queue.dropped, drops.count], [4, 4, 2]);
});

test('a flush stores what was there when it began, and a drain what comes meanwhile too', async (t) => {
  const { queue, record, store, stored } = setUp(t);
  const more = ['b', 'c'];
  store.after = () => record(...more.splice(0, 1));
  record('a');
  assert.equal(await queue.flush(hourMs), true);
  assert.deepEqual([stored, queue.waiting], [['a'], 1]);
  assert.equal(await queue.drain(hourMs), true);
  assert.deepEqual([stored, queue.waiting], [['a', 'b', 'c'], 0]);
});

test('a flush tries again until its time is over', async (t) => {
  const { queue, record, store, tries, errors } = setUp(t, { flushMs: 1 });
  store.fault = () => new Error('away');
  record('a');
  assert.equal(await queue.flush(20), false);
  store.fault = () => (errors.length < 20 ? new Error('away') : undefined);
  assert.equal(await queue.flush(hourMs), true);
  assert.equal(new Set(tries).size, 1);
});

test('a store that takes too long is reported and not waited for, and goes on', async (t) => {
  const { queue, record, store, stored, errors } = setUp(t);
  const gate = Promise.withResolvers<void>();
  store.gate = gate.promise;
  record('a');
  assert.equal(await queue.flush(10), false);
  assert.ok(errors.length > 0);
  gate.resolve();
  assert.equal(await queue.flush(hourMs), true);
  assert.deepEqual(stored, ['a']);
});

test('a caller of storeOnce gets the errors of its own round', async (t) => {
  const { queue, record, store, tries, errors } = setUp(t);
  const gate = Promise.withResolvers<void>();
  store.gate = gate.promise;
  store.fault = () => storageUnavailable('away');
  record('a');
  const first = queue.storeOnce();
  record('b');
  const roundErrors: unknown[] = [];
  const second = queue.storeOnce((error) => roundErrors.push(error));
  gate.resolve();
  await Promise.all([first, second]);
  assert.deepEqual([tries, errors.length, roundErrors.length], [['a', 'a'], 1, 1]);
});

test('at rest nothing is stored before more is recorded', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { queue, record, tries } = setUp(t, { flushMs: 1 });
  record('a');
  queue.cancelTimer();
  t.mock.timers.tick(hourMs);
  assert.deepEqual(tries, []);
  record('b');
  t.mock.timers.tick(1);
  assert.deepEqual(tries, ['ab']);
});

/** Lets promises go on, for tests that hold the timers still. */
async function turnsUntil(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

/** Stores letters as words, only when it is flushed unless `flushMs` is given. */
function setUp(t: TestContext, parts: Partial<WriteBehindParts<string[]>> = {}) {
  const tries: string[] = [];
  const stored: string[] = [];
  const errors: unknown[] = [];
  const drops = { count: 0 };
  const store = {
    gate: Promise.resolve(),
    fault: (_word: string): unknown => undefined,
    after: (): void => undefined,
  };
  const queue = new WriteBehind<string[]>({
    createBatch: () => [],
    store: async (letters) => {
      const word = letters.join('');
      tries.push(word);
      const fault = store.fault(word);
      await store.gate;
      if (fault !== undefined) throw fault;
      stored.push(word);
      store.after();
    },
    flushMs: hourMs,
    retryMsMax: hourMs,
    onError: (error) => errors.push(error),
    onDrop: () => drops.count++,
    ...parts,
  });
  const record = (...letters: readonly string[]) => {
    for (const letter of letters) queue.setSize(queue.filling.push(letter));
  };
  t.after(() => queue.cancelTimer());
  return { queue, record, store, tries, stored, errors, drops };
}

test('a store that works again after failures is reported once', async () => {
  let failures = 2;
  const returns: number[] = [];
  const writes = new WriteBehind<string[]>({
    createBatch: () => [],
    store: async () => {
      if (failures-- > 0) throw new Error('away');
    },
    flushMs: 1,
    retryMsMax: 1,
    onRecovered: (ms) => returns.push(ms),
  });
  writes.filling.push('a');
  writes.setSize(1);
  assert.equal(await writes.drain(60_000), true);
  writes.filling.push('b');
  writes.setSize(1);
  assert.equal(await writes.drain(60_000), true);
  assert.equal(returns.length, 1);
  assert.ok((returns[0] ?? -1) >= 0);
});
