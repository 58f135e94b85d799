import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Clock } from '../kernel/clock.ts';
import type { Shelves } from '../kernel/storage.ts';

/** A clock that tests can move. */
export interface MovableClock extends Clock {
  advance(seconds: number): void;
}

/** What every home of shelves must do, whatever it is made of. */
export function shelvesConformance(name: string, create: (clock: MovableClock) => Shelves): void {
  const setUp = () => {
    let nowMs = 1_000_000;
    const clock: MovableClock = {
      now: () => nowMs,
      advance: (seconds) => {
        nowMs += seconds * 1000;
      },
    };
    return { shelves: create(clock), clock };
  };
  const bytes = (text: string) => Buffer.from(text);

  describe(name, () => {
    test('gives back what was put, byte for byte', async () => {
      const shelf = setUp().shelves.shelf('a');
      const value = Uint8Array.from({ length: 256 }, (_, at) => at);
      await shelf.put('key', value, 60);
      assert.deepEqual(await shelf.get('key').then((got) => Buffer.from(got ?? [])), Buffer.from(value));
    });

    test('knows nothing of what was never put or was deleted', async () => {
      const shelf = setUp().shelves.shelf('a');
      assert.equal(await shelf.get('key'), undefined);
      await shelf.put('key', bytes('1'), 60);
      await shelf.delete('key');
      await shelf.delete('key');
      assert.equal(await shelf.get('key'), undefined);
    });

    test('keeps scopes apart, also where names run into each other', async () => {
      const { shelves } = setUp();
      await shelves.shelf('a').put('b\nkey', bytes('1'), 60);
      assert.equal(await shelves.shelf('b').get('key'), undefined);
      assert.equal(await shelves.shelf('').get('b\nkey'), undefined);
      assert.equal(await shelves.shelf('a').get('key'), undefined);
    });

    test('forgets after the time it was told, and not before', async () => {
      const { shelves, clock } = setUp();
      const shelf = shelves.shelf('a');
      await shelf.put('key', bytes('1'), 60);
      clock.advance(59);
      assert.ok(await shelf.get('key'));
      clock.advance(2);
      assert.equal(await shelf.get('key'), undefined);
    });

    test('takes the newest value, with its own time', async () => {
      const { shelves, clock } = setUp();
      const shelf = shelves.shelf('a');
      await shelf.put('key', bytes('old'), 1000);
      await shelf.put('key', bytes('new'), 10);
      assert.equal(String(await shelf.get('key')), 'new');
      clock.advance(11);
      assert.equal(await shelf.get('key'), undefined);
    });
  });
}
