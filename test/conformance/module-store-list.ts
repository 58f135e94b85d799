import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { limits } from '../../src/kernel/limits.ts';
import type { KeyValueStore, KeyValueStores, StoreListOptions } from '../../src/kernel/ports/module-store.ts';

interface ModuleStoresSetUp {
  readonly stores: KeyValueStores;
  /** One of them, and empty. */
  readonly one: KeyValueStore;
}

/** How every home of modules' stores lists what is in them. */
export function moduleStoreListConformance(setUp: (t: TestContext) => Promise<ModuleStoresSetUp>): void {
  test('entries are listed by key, some at a time', async (t) => {
    const { one } = await setUp(t);
    assert.deepEqual(await one.list(), []);
    for (const key of ['b/2', 'a', 'b/1', 'B', 'b', 'b/10', 'ä', 'b%', '🌊', '\ufffd', 'c'])
      await one.put(key, key);
    const keys = (page?: StoreListOptions) => listKeys(one, page);
    const inOrder = ['B', 'a', 'b', 'b%', 'b/1', 'b/10', 'b/2', 'c', 'ä', '\ufffd', '🌊'];
    assert.deepEqual(await keys(), inOrder);
    assert.deepEqual(await keys({ limit: 2 }), ['B', 'a']);
    assert.deepEqual(await keys({ after: 'a', limit: 2 }), ['b', 'b%']);
    assert.deepEqual(await keys({ after: 'aa', limit: 1 }), ['b']);
    assert.deepEqual(await keys({ after: '🌊' }), []);
    assert.deepEqual(await keys({ prefix: 'b/' }), ['b/1', 'b/10', 'b/2']);
    assert.deepEqual(await keys({ prefix: 'b/', after: 'b/1' }), ['b/10', 'b/2']);
    assert.deepEqual(await keys({ prefix: 'b/', after: 'a', limit: 1 }), ['b/1']);
    assert.deepEqual(await keys({ prefix: 'b/', after: 'c' }), []);
    assert.deepEqual(await keys({ prefix: 'b%' }), ['b%']);
    assert.deepEqual(await keys({ prefix: '🌊' }), ['🌊']);
    assert.deepEqual(await keys({ prefix: 'none' }), []);
    const [first] = await one.list({ limit: 1 });
    assert.deepEqual(first, { key: 'B', ...(await one.get('B')) });
  });

  test('whatever the keys are, a prefix finds those that begin with it, in order of their characters', async (t) => {
    const { stores } = await setUp(t);
    let run = 0;
    const text = fc
      .array(fc.constantFrom('a', 'b', '%', '_', '\\', "'", '\ud7ff', '\ue000', '\uffff', '\u{10ffff}'), {
        maxLength: 4,
      })
      .map((characters) => characters.join(''));
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(text, { maxLength: 12 }), text, text, async (all, prefix, after) => {
        const store = stores.store('m', `scope ${run++}`);
        const keys = all.filter((key) => key !== '');
        for (const key of keys) await store.put(key, 1);
        const expected = keys
          .filter((key) => key.startsWith(prefix) && compareBytes(key, after) > 0)
          .sort(compareBytes);
        assert.deepEqual(await listKeys(store, { prefix, after }), expected);
      }),
      { numRuns: 25 },
    );
  });

  test('pages are bounded, and lead from the first entry to the last', async (t) => {
    const { one } = await setUp(t);
    const most = limits.modulePageMax;
    const keys = Array.from({ length: most + 5 }, (_, at) => `key ${String(at).padStart(4, '0')}`);
    await Promise.all(keys.map((key) => one.put(key, key)));
    const first = await listKeys(one);
    assert.equal(first.length, most);
    assert.deepEqual([...first, ...(await listKeys(one, { after: first.at(-1) }))], keys);
    for (const limit of [0, -1, 1.5, most + 1, Number.NaN])
      await assert.rejects(one.list({ limit }), /an integer from 1 to \d+/);
  });
}

export async function listKeys(store: KeyValueStore, page?: StoreListOptions): Promise<readonly string[]> {
  return (await store.list(page)).map(({ key }) => key);
}

function compareBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
