import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { KeyValueStore, KeyValueStores } from '../../src/kernel/ports/module-store.ts';
import { limits } from '../../src/storage/limits.ts';
import { listKeys, moduleStoreListConformance } from './module-store-list.ts';

/** Stores for one test, as two replicas have them. */
interface ModuleStoresFixture {
  readonly replicas: readonly [KeyValueStores, KeyValueStores];
  /** Fills the store of module `m` in scope `s`, which has an entry already, until `left` more fit. */
  fill(left: number): Promise<void>;
}

/** What every home of modules' stores must do, whatever it is made of. */
export function moduleStoresConformance(
  name: string,
  open: (t: TestContext) => ModuleStoresFixture | Promise<ModuleStoresFixture>,
): void {
  const setUp = async (t: TestContext) => {
    const home = await open(t);
    const [one, other] = home.replicas.map((stores) => stores.store('m', 's'));
    assert.ok(one !== undefined && other !== undefined);
    /** A number of times, one after the other. */
    const inTurn = <Done>(times: number, work: (store: KeyValueStore, at: number) => Promise<Done>) =>
      Promise.all(Array.from({ length: times }, (_, at) => work(at % 2 === 0 ? one : other, at)));
    return { ...home, stores: home.replicas[0], one, other, inTurn };
  };

  describe(name, () => {
    test('gives back what was put, with its version and its time', async (t) => {
      const { one, other } = await setUp(t);
      const put = await one.put('key', { a: [1, 'b', null] });
      assert.deepEqual(put?.value, { a: [1, 'b', null] });
      assert.ok(put.version > 0 && put.updatedAtMs > Date.UTC(2026));
      assert.deepEqual(await one.get('key'), put);
      assert.deepEqual(await other.get('key'), put);
      assert.equal(await one.get('Key'), undefined);
    });

    test('any value that JSON has comes back, whatever its text contains', async (t) => {
      const { one } = await setUp(t);
      const values = [
        null,
        false,
        0,
        -1.5e300,
        '',
        [],
        {},
        'a\0b',
        '\ud800',
        'x\udfffy',
        '\ufffe\u202e🌊',
        { 'ke\0y \udbff': ['\\u0000', "'; drop table module_entries; --"], '': { '': '' } },
        JSON.parse('{"__proto__": {"a": 1}}'),
      ];
      for (const value of values) {
        assert.deepEqual((await one.put('key', value))?.value, value);
        assert.deepEqual((await one.get('key'))?.value, value);
      }
      await one.put('key', { gone: undefined, when: new Date(0), none: Number.NaN });
      assert.deepEqual((await one.get('key'))?.value, { when: '1970-01-01T00:00:00.000Z', none: null });
    });

    test('who changes a value that was given or got changes nothing that is stored', async (t) => {
      const { one } = await setUp(t);
      const given = { list: [1] };
      const put = await one.put('key', given);
      given.list.push(2);
      for (const stored of [put, await one.get('key')]) {
        assert.deepEqual(stored?.value, { list: [1] });
        Object.assign(Object(stored?.value), { list: [] });
      }
      assert.deepEqual((await one.get('key'))?.value, { list: [1] });
    });

    test('a version is written over once, and only by who knows it', async (t) => {
      const { one, other } = await setUp(t);
      assert.equal(await one.put('key', 'early', 1), undefined);
      const first = (await one.put('key', 'first', 0)) ?? assert.fail();
      assert.equal(await other.put('key', 'late', 0), undefined);
      const second = (await other.put('key', 'second', first.version)) ?? assert.fail();
      assert.notEqual(second.version, first.version);
      assert.equal(await one.put('key', 'stale', first.version), undefined);
      assert.deepEqual(await one.get('key'), second);
      const third = (await one.put('key', 'third')) ?? assert.fail();
      assert.equal(await one.put('key', 'stale', second.version), undefined);
      assert.deepEqual(await one.get('key'), third);
      for (const version of [-1, 1.5, Number.NaN, 2 ** 53])
        await assert.rejects(one.put('key', 'odd', version), /is not a version/);
    });

    test('of many who write the same version at once, one does', async (t) => {
      const { one, inTurn } = await setUp(t);
      let version = 0;
      for (let round = 0; round < 5; round++) {
        const puts = await inTurn(20, (store, at) => store.put('key', at, version));
        const won = puts.filter((put) => put !== undefined);
        assert.equal(won.length, 1);
        assert.deepEqual(await one.get('key'), won[0]);
        version = won[0]?.version ?? assert.fail();
      }
    });

    test('no change is lost where each is made from what was there', async (t) => {
      const { one, inTurn } = await setUp(t);
      await inTurn(8, async (store) => {
        for (let written = false; !written; ) {
          const { value, version } = (await store.get('sum')) ?? { value: 0, version: 0 };
          written = (await store.put('sum', Number(value) + 1, version)) !== undefined;
        }
      });
      assert.equal((await one.get('sum'))?.value, 8);
    });

    test('all who write over whatever is there do, also at once, and also where nothing was', async (t) => {
      const { one, inTurn } = await setUp(t);
      const puts = await inTurn(20, (store, at) => store.put('key', at));
      const versions = puts.map((put) => put?.version);
      assert.equal(new Set(versions).size, 20);
      const last = puts.find((put) => put?.version === Math.max(...versions.map(Number)));
      assert.deepEqual(await one.get('key'), last);
    });

    test('a key is deleted once, and its versions never come back', async (t) => {
      const { one, other, inTurn } = await setUp(t);
      assert.equal(await one.delete('key'), false);
      const seen = new Set<number>();
      for (let round = 0; round < 3; round++) {
        for (const version of [0, undefined, undefined]) {
          const put = (await one.put('key', round, version)) ?? assert.fail();
          assert.ok(!seen.has(put.version));
          seen.add(put.version);
        }
        const deleted = await inTurn(6, (store) => store.delete('key'));
        assert.equal(deleted.filter((was) => was).length, 1);
        assert.equal(await other.get('key'), undefined);
        for (const version of seen) assert.equal(await one.put('key', 'stale', version), undefined);
      }
      assert.equal(await one.delete('key'), false);
    });

    test('modules and tenants are kept apart, also where names run into each other', async (t) => {
      const { stores } = await setUp(t);
      const names = ['a', 'ab', 'b', 'a\nb', 'A', "a'b", 'a%', 'a_'];
      const pairs = names.flatMap((module) => names.map((scope) => [module, scope] as const));
      for (const [module, scope] of pairs) await stores.store(module, scope).put('key', [module, scope]);
      for (const [module, scope] of pairs) {
        const listed = await stores.store(module, scope).list();
        assert.deepEqual(
          listed.map(({ key, value }) => [key, value]),
          [['key', [module, scope]]],
        );
      }
      await stores.store('a', 'b').delete('key');
      assert.equal(await stores.store('a', 'b').get('key'), undefined);
      assert.ok(await stores.store('b', 'a').get('key'));
    });

    moduleStoreListConformance(setUp);

    test('keys and names are of a bounded length, and of whole characters', async (t) => {
      const { stores, one } = await setUp(t);
      // Different ones of three bytes each, so that nothing can be packed.
      const long = (length: number) =>
        String.fromCharCode(...Array.from({ length }, (_, at) => 0x4e00 + ((at * 7919) % 20_000)));
      const key = long(limits.moduleKeyCharactersMax);
      const name = long(limits.moduleStoreNameCharactersMax);
      const far = stores.store(name, name);
      await far.put(key, 'far');
      assert.equal((await far.get(key))?.value, 'far');
      assert.deepEqual(await listKeys(far, { prefix: key }), [key]);
      for (const odd of [`${key}x`, 'a\0b', '\ud800', 'a\udfff']) {
        await assert.rejects(one.get(odd), /too long|NUL/);
        await assert.rejects(one.put(odd, 1), /too long|NUL/);
        await assert.rejects(one.delete(odd), /too long|NUL/);
        await assert.rejects(one.list({ prefix: odd }), /too long|NUL/);
        await assert.rejects(one.list({ after: odd }), /too long|NUL/);
        assert.throws(() => stores.store(odd, 's'), /too long|NUL/);
        assert.throws(() => stores.store('m', odd), /too long|NUL/);
        await assert.rejects(stores.forget(odd), /too long|NUL/);
      }
      await assert.rejects(one.put('', 1), /can't be empty/);
      assert.throws(() => stores.store('', 's'), /can't be empty/);
    });

    test('a value is of a bounded size, and one that JSON has', async (t) => {
      const { one } = await setUp(t);
      const largest = 'ä'.repeat(limits.moduleValueBytesMax / 2 - 1);
      await one.put('key', largest);
      assert.equal((await one.get('key'))?.value, largest);
      await assert.rejects(one.put('key', `${largest}x`), /262145 bytes \D*the limit is 262144/);
      const circle: unknown[] = [];
      circle.push(circle);
      for (const value of [undefined, () => 1, Symbol('a'), 1n, circle])
        await assert.rejects(one.put('key', value), /JSON/);
      assert.equal((await one.get('key'))?.value, largest);
    });

    test('a store that is full says so, also to many at once, and goes on with what it has', async (t) => {
      const { stores, one, fill, inTurn } = await setUp(t);
      await one.put('key', 1);
      await fill(3);
      const adds = await inTurn(10, (store, at) =>
        store.put(`new ${at}`, 1, at % 3 === 0 ? 0 : undefined).catch(String),
      );
      const refused = adds.filter((add) => typeof add === 'string');
      assert.equal(refused.length, 7);
      for (const add of refused) assert.match(add, /^Error: the store of module "m" is full/);
      const { version } = (await one.put('key', 2)) ?? assert.fail();
      assert.ok(await one.put('key', 3, version));
      assert.equal(await one.put('key', 4, 0), undefined);
      await assert.rejects(one.put('more', 1, 0), /is full/);
      assert.equal(await one.get('more'), undefined);
      assert.ok(await stores.store('m', 'other scope').put('more', 1));
      assert.ok(await stores.store('other-module', 's').put('more', 1));
      assert.equal(await one.delete('key'), true);
      assert.ok(await one.put('more', 1));
      await assert.rejects(one.put('key', 1), /is full/);
    });

    test('a tenant is forgotten with all that modules kept for it, and no other is', async (t) => {
      const { stores } = await setUp(t);
      const many = limits.moduleEntriesDeletedAtOnce * 2;
      // One after the other: a busy machine would refuse hundreds at once.
      for (let at = 0; at < many; at++) await stores.store('m', 's').put(`key ${at}`, at);
      await stores.store('n', 's').put('key', 1);
      await stores.store('m', 'other').put('key', 1);
      await stores.forget('nobody');
      await stores.forget('s');
      for (const module of ['m', 'n']) assert.deepEqual(await stores.store(module, 's').list(), []);
      assert.equal((await stores.store('m', 'other').get('key'))?.value, 1);
      assert.ok(await stores.store('m', 's').put('key', 1, 0));
      assert.deepEqual(await listKeys(stores.store('m', 's')), ['key']);
    });

    test('who writes while a tenant is forgotten gets an answer', async (t) => {
      const { one, stores, replicas, inTurn } = await setUp(t);
      await inTurn(50, (store, at) => store.put(`key ${at}`, at));
      const work = inTurn(60, async (store, at) => {
        await store.put(`key ${at}`, 'again');
        await store.put(`key ${at}`, 'first', 0);
        await store.delete(`key ${59 - at}`);
      });
      await Promise.all([work, ...replicas.map((replica) => replica.forget('s'))]);
      await stores.forget('s');
      assert.deepEqual(await one.list(), []);
    });
  });
}
