import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { KeyUses } from './key-uses.ts';

/** A store that completes its work when the test says so. */
class Store {
  readonly batches: (readonly [string, number][])[] = [];
  isAway = false;
  waitFor: Promise<void> | undefined;

  async touch(uses: ReadonlyMap<string, number>): Promise<void> {
    await this.waitFor;
    if (this.isAway) throw new Error('away');
    this.batches.push([...uses]);
  }
}

test('many uses of a key are one row of one batch', async () => {
  const { uses, store, clock } = started();
  uses.note('a');
  clock.move(1);
  uses.note('b');
  clock.move(1);
  uses.note('a');
  await uses.flush();
  await uses.flush();
  assert.deepEqual(store.batches, [
    [
      ['a', clock.now()],
      ['b', clock.now() - 1],
    ],
  ]);
});

test('what could not be stored is kept, stored later and never overtakes a later use', async () => {
  const { uses, store, clock, failures } = started();
  store.isAway = true;
  uses.note('a');
  uses.note('b');
  await assert.rejects(uses.flush());
  clock.move(5);
  uses.note('a');
  assert.equal(uses.pending()('b'), clock.now() - 5);
  await uses.close();
  assert.equal(failures.length, 1);
  store.isAway = false;
  await uses.close();
  const sorted = store.batches.flat().toSorted(([a], [b]) => a.localeCompare(b));
  assert.deepEqual(sorted, [
    ['a', clock.now()],
    ['b', clock.now() - 5],
  ]);
});

test('a use stays visible while it is being stored, and to who looked before', async () => {
  const { uses, store, clock } = started();
  const gate = Promise.withResolvers<void>();
  store.waitFor = gate.promise;
  uses.note('a');
  const before = uses.pending();
  const flushed = uses.flush();
  await Promise.resolve();
  assert.equal(uses.pending()('a'), clock.now());
  gate.resolve();
  await flushed;
  assert.equal(uses.pending()('a'), undefined);
  assert.equal(before('a'), clock.now());
});

test('a close that comes while others are being stored stores what came since', async () => {
  const { uses, store } = started();
  const gate = Promise.withResolvers<void>();
  store.waitFor = gate.promise;
  uses.note('a');
  const flushed = uses.flush();
  await Promise.resolve();
  uses.note('b');
  const closed = uses.close();
  gate.resolve();
  await Promise.all([flushed, closed]);
  assert.deepEqual(
    store.batches.flat().map(([id]) => id),
    ['a', 'b'],
  );
});

function started() {
  const store = new Store();
  const clock = new ManualClock();
  const failures: unknown[] = [];
  const uses = new KeyUses({ apiKeys: store, clock, onFailure: (cause) => failures.push(cause) });
  return { uses, store, clock, failures };
}
