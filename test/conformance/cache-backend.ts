import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { CacheBackend } from '../../src/kernel/ports/scoped-cache.ts';

/** A home of shelves for one test, with a way to let time pass in it. */
interface CacheBackendFixture {
  readonly backend: CacheBackend;
  pass(seconds: number): void | Promise<void>;
}

/** What every home of shelves must do, whatever it is made of. */
export function cacheBackendConformance(
  name: string,
  open: (t: TestContext) => CacheBackendFixture | Promise<CacheBackendFixture>,
): void {
  const bytes = (text: string) => Buffer.from(text);

  describe(name, () => {
    test('gives back what was put, byte for byte', async (t) => {
      const { backend } = await open(t);
      const scopedCache = backend.cacheFor('a');
      const value = Uint8Array.from({ length: 256 }, (_, at) => at);
      await scopedCache.put('key', value, 60);
      assert.deepEqual(
        await scopedCache.get('key').then((got) => Buffer.from(got ?? [])),
        Buffer.from(value),
      );
    });

    test('keeps a part of a larger buffer, and nothing around it', async (t) => {
      const { backend } = await open(t);
      const scopedCache = backend.cacheFor('a');
      await scopedCache.put('key', new Uint8Array(bytes('before value after')).subarray(7, 12), 60);
      assert.equal(String(Buffer.from((await scopedCache.get('key')) ?? [])), 'value');
    });

    test('keeps nothing, as a value', async (t) => {
      const { backend } = await open(t);
      const scopedCache = backend.cacheFor('a');
      await scopedCache.put('key', new Uint8Array(0), 60);
      assert.equal((await scopedCache.get('key'))?.byteLength, 0);
    });

    test('knows nothing of what was never put or was deleted', async (t) => {
      const { backend } = await open(t);
      const scopedCache = backend.cacheFor('a');
      assert.equal(await scopedCache.get('key'), undefined);
      await scopedCache.put('key', bytes('1'), 60);
      await scopedCache.delete('key');
      await scopedCache.delete('key');
      assert.equal(await scopedCache.get('key'), undefined);
    });

    test('keeps scopes apart, also where names run into each other', async (t) => {
      const { backend } = await open(t);
      await backend.cacheFor('a').put('b\nkey', bytes('1'), 60);
      assert.equal(await backend.cacheFor('b').get('key'), undefined);
      assert.equal(await backend.cacheFor('').get('b\nkey'), undefined);
      assert.equal(await backend.cacheFor('a').get('key'), undefined);
      assert.equal(await backend.cacheFor('a\nb').get('key'), undefined);
      assert.equal(await backend.cacheFor('ab').get('\nkey'), undefined);
    });

    test('empties one shelf and no other, and takes new things on it', async (t) => {
      const { backend } = await open(t);
      const [scopedCache, other] = [backend.cacheFor('a'), backend.cacheFor('ab')];
      await Promise.all([
        scopedCache.put('1', bytes('1'), 60),
        scopedCache.put('2', bytes('2'), 60),
        other.put('1', bytes('3'), 60),
      ]);
      await backend.clear('a');
      assert.deepEqual([await scopedCache.get('1'), await scopedCache.get('2')], [undefined, undefined]);
      assert.ok(await other.get('1'));
      await scopedCache.put('1', bytes('4'), 60);
      assert.equal(String(Buffer.from((await scopedCache.get('1')) ?? [])), '4');
    });

    test('forgets an entry after its time, and not before', async (t) => {
      const { backend, pass } = await open(t);
      const scopedCache = backend.cacheFor('a');
      await scopedCache.put('key', bytes('1'), 600);
      await pass(500);
      assert.ok(await scopedCache.get('key'));
      await pass(101);
      assert.equal(await scopedCache.get('key'), undefined);
    });

    test('takes the newest value, with its own time', async (t) => {
      const { backend, pass } = await open(t);
      const scopedCache = backend.cacheFor('a');
      await scopedCache.put('key', bytes('old'), 1000);
      await scopedCache.put('key', bytes('new'), 100);
      assert.equal(String(Buffer.from((await scopedCache.get('key')) ?? [])), 'new');
      await pass(101);
      assert.equal(await scopedCache.get('key'), undefined);
    });
  });
}
