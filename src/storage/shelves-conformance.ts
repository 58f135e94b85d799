import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Shelves } from '../kernel/ports/shelves.ts';

/** A home of shelves for one test, with a way to let time pass in it. */
interface ShelvesHome {
  readonly shelves: Shelves;
  pass(seconds: number): void | Promise<void>;
}

/** What every home of shelves must do, whatever it is made of. */
export function shelvesConformance(
  name: string,
  open: (t: TestContext) => ShelvesHome | Promise<ShelvesHome>,
): void {
  const bytes = (text: string) => Buffer.from(text);

  describe(name, () => {
    test('gives back what was put, byte for byte', async (t) => {
      const { shelves } = await open(t);
      const shelf = shelves.shelf('a');
      const value = Uint8Array.from({ length: 256 }, (_, at) => at);
      await shelf.put('key', value, 60);
      assert.deepEqual(await shelf.get('key').then((got) => Buffer.from(got ?? [])), Buffer.from(value));
    });

    test('keeps a part of a larger buffer, and nothing around it', async (t) => {
      const { shelves } = await open(t);
      const shelf = shelves.shelf('a');
      await shelf.put('key', new Uint8Array(bytes('before value after')).subarray(7, 12), 60);
      assert.equal(String(Buffer.from((await shelf.get('key')) ?? [])), 'value');
    });

    test('keeps nothing, as a value', async (t) => {
      const { shelves } = await open(t);
      const shelf = shelves.shelf('a');
      await shelf.put('key', new Uint8Array(0), 60);
      assert.equal((await shelf.get('key'))?.byteLength, 0);
    });

    test('knows nothing of what was never put or was deleted', async (t) => {
      const { shelves } = await open(t);
      const shelf = shelves.shelf('a');
      assert.equal(await shelf.get('key'), undefined);
      await shelf.put('key', bytes('1'), 60);
      await shelf.delete('key');
      await shelf.delete('key');
      assert.equal(await shelf.get('key'), undefined);
    });

    test('keeps scopes apart, also where names run into each other', async (t) => {
      const { shelves } = await open(t);
      await shelves.shelf('a').put('b\nkey', bytes('1'), 60);
      assert.equal(await shelves.shelf('b').get('key'), undefined);
      assert.equal(await shelves.shelf('').get('b\nkey'), undefined);
      assert.equal(await shelves.shelf('a').get('key'), undefined);
      assert.equal(await shelves.shelf('a\nb').get('key'), undefined);
      assert.equal(await shelves.shelf('ab').get('\nkey'), undefined);
    });

    test('empties one shelf and no other, and takes new things on it', async (t) => {
      const { shelves } = await open(t);
      const [shelf, other] = [shelves.shelf('a'), shelves.shelf('ab')];
      await Promise.all([
        shelf.put('1', bytes('1'), 60),
        shelf.put('2', bytes('2'), 60),
        other.put('1', bytes('3'), 60),
      ]);
      await shelves.forget('a');
      assert.deepEqual([await shelf.get('1'), await shelf.get('2')], [undefined, undefined]);
      assert.ok(await other.get('1'));
      await shelf.put('1', bytes('4'), 60);
      assert.equal(String(Buffer.from((await shelf.get('1')) ?? [])), '4');
    });

    test('forgets after the time it was told, and not before', async (t) => {
      const { shelves, pass } = await open(t);
      const shelf = shelves.shelf('a');
      await shelf.put('key', bytes('1'), 600);
      await pass(500);
      assert.ok(await shelf.get('key'));
      await pass(101);
      assert.equal(await shelf.get('key'), undefined);
    });

    test('takes the newest value, with its own time', async (t) => {
      const { shelves, pass } = await open(t);
      const shelf = shelves.shelf('a');
      await shelf.put('key', bytes('old'), 1000);
      await shelf.put('key', bytes('new'), 100);
      assert.equal(String(Buffer.from((await shelf.get('key')) ?? [])), 'new');
      await pass(101);
      assert.equal(await shelf.get('key'), undefined);
    });
  });
}
