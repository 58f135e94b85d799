import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { z } from 'zod';
import { Sealer } from '../../src/accounts/sealer.ts';
import { defineCollection } from '../../src/kernel/define-collection.ts';
import type { CollectionTable } from '../../src/kernel/ports/collection-table.ts';
import { CollectionFullError } from '../../src/kernel/ports/collections.ts';
import type { KeyValueStores, ModuleStore } from '../../src/kernel/ports/module-store.ts';
import { limits } from '../../src/storage/limits.ts';
import { ModuleStoresWithCollections } from '../../src/storage/module-stores.ts';

interface Replica {
  readonly modules: KeyValueStores;
  readonly collections: CollectionTable;
}

type Replicas = readonly [Replica, Replica];

const notes = defineCollection({
  name: 'notes',
  value: z.strictObject({ text: z.string() }),
  fields: { person: 'text1', topic: 'text2', at: 'integer1' },
  entriesMax: 1000,
});
const few = defineCollection({ name: 'few', fields: {}, entriesMax: 3 });
const names = defineCollection({
  name: 'names',
  fields: { name: 'text1' },
  unique: ['name'],
  entriesMax: 50,
});
const brief = defineCollection({ name: 'brief', fields: { at: 'integer1' }, lifeSeconds: 10 });
const moments = defineCollection({ name: 'moments', fields: {}, lifeSeconds: 10 });
const briefFew = defineCollection({ name: 'brief-few', fields: {}, lifeSeconds: 10, entriesMax: 2 });
const small = defineCollection({ name: 'small', fields: {}, entriesMax: 1000, bytesMax: 250 });
const light = defineCollection({ name: 'light', fields: {}, lifeSeconds: 10, bytesMax: 30_000 });
const secret = defineCollection({ name: 'secret', fields: { of: 'text1' }, sealed: true, entriesMax: 10 });

/** What every database must do with collections of modules. */
export function collectionsConformance(name: string, open: (t: TestContext) => Promise<Replicas>): void {
  const setUp = async (t: TestContext) => {
    const replicas = await open(t);
    const clock = { ms: 1_000_000, now: () => clock.ms };
    const key = Buffer.alloc(32, 'test');
    const [one, other] = replicas.map(
      ({ modules: values, collections: entries }) =>
        new ModuleStoresWithCollections({ values, entries, sealer: new Sealer([key]), clock }),
    );
    const store = (module = 'm', scope = 's'): ModuleStore => (one ?? assert.fail()).store(module, scope);
    const second = (module = 'm', scope = 's'): ModuleStore => (other ?? assert.fail()).store(module, scope);
    return { table: replicas[0].collections, clock, store, second };
  };
  const note = (person: string | null, at: number | null, topic: string | null = null) => ({
    value: { text: `note ${at}` },
    fields: { person, topic, at },
  });

  describe(name, () => {
    test('entries come back as they were, to their module and tenant only', async (t) => {
      const { store, second, clock } = await setUp(t);
      const entry = { value: { text: 'ünd "quoted" 🌊\0' }, fields: { person: 'Ä', topic: null, at: -5 } };
      const written = (await store().collection(notes).put('k', entry)) ?? assert.fail();
      clock.ms += 5;
      const found = await second().collection(notes).get('k');
      assert.deepEqual(found, written);
      assert.deepEqual(found, {
        key: 'k',
        ...entry,
        version: written.version,
        createdAtMs: 1_000_000,
        updatedAtMs: 1_000_000,
        expiresAtMs: undefined,
      });
      for (const foreign of [store('m', 'other'), store('other')]) {
        assert.equal(await foreign.collection(notes).get('k'), undefined);
        assert.deepEqual((await foreign.collection(notes).query()).entries, []);
        assert.equal(await foreign.collection(notes).delete('k'), false);
        assert.equal(await foreign.collection(notes).deleteAll({}), 0);
      }
      assert.equal(await store().collection(few).get('k'), undefined);
      assert.equal(await store().get('k'), undefined);
      const again = await store().collection(notes).put('k', note('b', 1));
      assert.equal(again?.createdAtMs, 1_000_000);
      assert.equal(again?.updatedAtMs, 1_000_005);
    });

    test('a write with a version succeeds once, and versions of deleted entries are not reused', async (t) => {
      const { store, second } = await setUp(t);
      for (const collection of [few, moments]) {
        const one = store().collection(collection);
        const entry = { value: 1, fields: {} };
        const first = (await one.put('k', entry, 0)) ?? assert.fail();
        assert.equal(await one.put('k', entry, 0), undefined);
        const results = await Promise.all(
          Array.from({ length: 10 }, (_, at) =>
            (at % 2 === 0 ? store() : second()).collection(collection).put('k', entry, first.version),
          ),
        );
        assert.equal(results.filter((result) => result !== undefined).length, 1);
        assert.equal(await one.delete('k', first.version), false);
        assert.equal(await one.delete('k'), true);
        assert.equal(await one.delete('k'), false);
        await one.put('k', entry, 0);
        assert.equal(await one.put('k', entry, first.version), undefined);
      }
    });

    test('entries are found by their fields, in order and page by page', async (t) => {
      const { store, clock } = await setUp(t);
      const entries = store().collection(notes);
      const all = [
        ['a', 'ann', 3],
        ['b', 'bob', 1],
        ['c', 'ann', 1],
        ['d', null, 2],
        ['e', 'ann', null],
        ['f', 'ann', 2],
        ['g', 'ann', 2],
      ] as const;
      for (const [key, person, at] of all) {
        clock.ms++;
        await entries.put(key, note(person, at, key < 'c' ? 'x' : 'y'));
      }
      const keys = async (query: Parameters<typeof entries.query>[0]) =>
        (await entries.query(query)).entries.map(({ key }) => key).join('');
      assert.equal(await keys({}), 'abcdefg');
      assert.equal(await keys({ where: { person: 'ann' } }), 'acefg');
      assert.equal(await keys({ where: { person: 'ann' }, orderBy: 'at' }), 'cfga');
      assert.equal(
        await keys({ where: { person: 'ann', topic: 'y' }, orderBy: 'at', descending: true }),
        'gfc',
      );
      assert.equal(await keys({ where: { person: null } }), 'd');
      assert.equal(await keys({ where: { person: { in: ['bob', null] } } }), 'bd');
      assert.equal(await keys({ where: { person: { in: [] } } }), '');
      assert.equal(await keys({ where: { at: { gt: 1, lt: 3 } } }), 'dfg');
      assert.equal(await keys({ where: { key: { lt: 'c' } }, descending: true }), 'ba');
      assert.equal(await keys({ where: { person: "ann' or 1=1" } }), '');
      assert.equal(await keys({ orderBy: 'createdAt', descending: true, limit: 2 }), 'gf');
      const [info] = (await entries.list({ where: { at: { gt: 2 } } })).entries;
      assert.deepEqual(
        [info?.key, info?.fields, info?.bytes],
        ['a', { person: 'ann', topic: 'x', at: 3 }, 17],
      );
      assert.equal((await entries.list({ limit: 2 })).next, (await entries.query({ limit: 2 })).next);
      for (const orderBy of ['at', 'key', 'createdAt', 'person'] as const)
        for (const descending of [false, true]) {
          const whole = await keys({ orderBy, descending });
          let paged = '';
          for (let after: string | undefined, at = 0; at < 9; at++) {
            const page = await entries.query({ orderBy, descending, limit: 2, after });
            paged += page.entries.map(({ key }) => key).join('');
            after = page.next;
            if (after === undefined) break;
          }
          assert.equal(paged, whole);
        }
    });

    test('all changes of a batch are written, or none', async (t) => {
      const { store } = await setUp(t);
      const entries = store().collection(notes);
      const written = (await entries.put('a', note('ann', 1))) ?? assert.fail();
      const isWritten = await store().write((batch) => {
        batch.put(notes, 'a', note('ann', 2), written.version);
        batch.put(brief, 'b', { value: 1, fields: { at: 1 } }, 0);
        batch.put(few, 'c', { value: 1, fields: {} });
      });
      assert.equal(isWritten, true);
      const isRefused = await store().write((batch) => {
        batch.put(few, 'd', { value: 1, fields: {} });
        batch.delete(notes, 'a', written.version);
      });
      assert.equal(isRefused, false);
      assert.equal(await store().collection(few).get('d'), undefined);
      assert.equal((await entries.get('a'))?.fields.at, 2);
      assert.equal(await store().write((batch) => batch.delete(brief, 'none')), false);
      assert.equal(await store().write(() => undefined), true);
    });

    test('many entries are written together, each with its own result', async (t) => {
      const { store, clock } = await setUp(t);
      const putAll = (keys: readonly string[], version?: number, size = 98) =>
        store().write((batch) => {
          for (const key of keys)
            batch.put(light, key, { value: `${key}${'x'.repeat(size)}`, fields: {} }, version);
        });
      const entries = store().collection(light);
      const keys = Array.from({ length: 120 }, (_, at) => `key ${at}`);
      const sizeOf = async (key: string) => String((await entries.get(key))?.value).length - key.length;
      assert.equal(await putAll(keys, 0), true);
      assert.equal(await putAll(['new', 'key 119'], 0), false);
      assert.equal(await entries.get('new'), undefined);
      assert.equal(await putAll([...keys, 'key 0'], undefined, 99), true);
      assert.deepEqual(
        await Promise.all(keys.map(sizeOf)),
        keys.map(() => 99),
      );
      clock.ms += 20_000;
      assert.equal(await putAll(keys, 0, 97), true);
      assert.deepEqual(
        await Promise.all(keys.map(sizeOf)),
        keys.map(() => 97),
      );
      // The bytes are counted right: the oldest entries go only when the collection is full.
      clock.ms++;
      assert.equal(
        await putAll(
          keys.map((key) => `${key}b`),
          0,
          97,
        ),
        true,
      );
      assert.equal(await sizeOf('key 0'), 97);
      assert.equal(
        await putAll(
          keys.map((key) => `${key}c`),
          0,
          97,
        ),
        true,
      );
      assert.equal(await entries.get('key 0'), undefined);
      assert.equal(await sizeOf('key 119c'), 97);
    });

    test('a full collection says so, however many write at once', async (t) => {
      const { store, second } = await setUp(t);
      const entry = { value: 1, fields: {} };
      const results = await Promise.all(
        Array.from({ length: 10 }, (_, at) =>
          (at % 2 === 0 ? store() : second())
            .collection(few)
            .put(`k${at}`, entry)
            .catch((error: unknown) => error),
        ),
      );
      assert.equal(results.filter((result) => result instanceof CollectionFullError).length, 7);
      const { entries } = await store().collection(few).query();
      assert.equal(entries.length, 3);
      const [first] = entries;
      assert.ok(
        await store()
          .collection(few)
          .put(first?.key ?? '', entry),
      );
      await assert.rejects(
        store().write((batch) => batch.put(few, 'more', entry)),
        CollectionFullError,
      );
      assert.ok(await store('m', 'other').collection(few).put('more', entry));
      await store()
        .collection(few)
        .delete(first?.key ?? '');
      assert.ok(await store().collection(few).put('more', entry));
      assert.equal(await store().collection(few).deleteAll({}), 3);
      for (const key of ['a', 'b', 'c']) await store().collection(few).put(key, entry);
      await assert.rejects(store().collection(few).put('d', entry), CollectionFullError);
    });

    test('no two entries have the same unique field, however many write at once', async (t) => {
      const { store, second } = await setUp(t);
      const named = (name: string | null) => ({ value: 1, fields: { name } });
      const results = await Promise.all(
        Array.from({ length: 10 }, (_, at) =>
          (at % 2 === 0 ? store() : second()).collection(names).put(`k${at}`, named(`n${at % 5}`)),
        ),
      );
      assert.equal(results.filter((result) => result !== undefined).length, 5);
      const entries = store().collection(names);
      const found = await entries.query({ where: { name: 'n1' } });
      const key = found.entries[0]?.key ?? '';
      assert.ok(await entries.put(key, named('n1')));
      assert.equal(await entries.put(key, named('n2')), undefined);
      assert.equal((await entries.get(key))?.fields.name, 'n1');
      assert.ok(await entries.put('x', named(null)));
      assert.ok(await entries.put('y', named(null)));
    });

    test('expired entries are not found, make room, and are deleted', async (t) => {
      const { store, table, clock } = await setUp(t);
      const entries = store().collection(brief);
      await entries.put('a', { value: 1, fields: { at: 1 } });
      await entries.put('b', { value: 1, fields: { at: 2 }, expiresAtMs: clock.ms + 20_000 });
      const fewOnes = store().collection(briefFew);
      for (const key of ['a', 'b']) await fewOnes.put(key, { value: 1, fields: {} });
      clock.ms += 10_000;
      assert.equal(await entries.get('a'), undefined);
      assert.equal((await entries.query({ where: { at: 1 } })).entries.length, 0);
      assert.equal(await entries.delete('a'), false);
      assert.ok(await entries.get('b'));
      assert.ok(await fewOnes.put('c', { value: 1, fields: {} }));
      const again = (await entries.put('a', { value: 2, fields: { at: 1 } }, 0)) ?? assert.fail();
      assert.equal(again.createdAtMs, clock.ms);
      clock.ms += 30_000;
      while (await table.tidy(clock.ms));
      clock.ms = 0;
      assert.deepEqual((await entries.query()).entries, []);
      assert.deepEqual((await fewOnes.query()).entries, []);
      assert.ok(await fewOnes.put('d', { value: 1, fields: {} }));
      assert.ok(await fewOnes.put('e', { value: 1, fields: {} }));
      await assert.rejects(fewOnes.put('f', { value: 1, fields: {} }), CollectionFullError);
    });

    test('beyond its bytes a collection loses its oldest entries', async (t) => {
      const { store, clock } = await setUp(t);
      const entries = store().collection(small);
      for (const key of ['a', 'b', 'c', 'd']) {
        clock.ms++;
        await entries.put(key, { value: 'x'.repeat(98), fields: {} });
      }
      await store('m', 'other')
        .collection(small)
        .put('z', { value: 'x'.repeat(98), fields: {} });
      assert.deepEqual(
        (await entries.query()).entries.map(({ key }) => key),
        ['c', 'd'],
      );
      assert.ok(await store('m', 'other').collection(small).get('z'));
    });

    test('every change is seen in the revision', async (t) => {
      const { store, second } = await setUp(t);
      const entries = store().collection(notes);
      let before = await entries.revision();
      assert.equal(before, 0);
      const changes = [
        () => entries.put('a', note('ann', 1)),
        () => entries.put('a', note('ann', 2)),
        () => second().collection(notes).put('b', note('ann', 2)),
        () => entries.delete('a'),
        () => entries.deleteAll({ person: 'ann' }),
      ];
      for (const change of changes) {
        await change();
        const revision = await second().collection(notes).revision();
        assert.ok(revision > before);
        before = revision;
      }
      await entries.delete('none');
      assert.equal(await entries.revision(), before);
    });

    test('sealed values are opened for their entry only', async (t) => {
      const { store, table } = await setUp(t);
      await store()
        .collection(secret)
        .put('k', { value: { quote: 'canary' }, fields: { of: 'ann' } });
      const id = { scope: 's', module: 'm', collection: 'secret' };
      const row = (await table.find(id, 'k', 0)) ?? assert.fail();
      assert.equal(row.value, null);
      assert.ok(!Buffer.from(row.sealed ?? []).includes('canary'));
      assert.deepEqual((await store().collection(secret).get('k'))?.value, { quote: 'canary' });
      const moved = { ...row, bytes: 1, columns: {}, expiresAtMs: undefined };
      await table.apply(
        { scope: 's', module: 'm' },
        [{ collection: 'secret', bounds: {}, key: 'other', row: moved, version: 0 }],
        1,
      );
      assert.equal(await store().collection(secret).get('other'), undefined);
      assert.equal((await store().collection(secret).query()).entries.length, 1);
    });

    test('what does not fit the declaration is refused with a reason', async (t) => {
      const { store } = await setUp(t);
      const entries = store().collection(notes);
      const long = 'x'.repeat(limits.collectionTextCharactersMax + 1);
      const bad = (fields: object, value: unknown = { text: 'x' }) =>
        entries.put('k', { value, fields } as never);
      await assert.rejects(
        bad({ person: long, topic: null, at: 1 }),
        /"person" of 257 characters is too long/,
      );
      await assert.rejects(bad({ person: 1, topic: null, at: 1 }), /"person" must be a text/);
      await assert.rejects(bad({ person: 'a\0', topic: null, at: 1 }), /NUL/);
      await assert.rejects(bad({ person: null, topic: null, at: 0.5 }), /"at" must be a whole number/);
      await assert.rejects(bad({ person: null, topic: null, at: 1, more: 1 }), /no field "more"/);
      await assert.rejects(bad({ person: null, topic: null, at: 1 }, { text: 1 }), /"notes": text: /);
      await assert.rejects(
        bad({ person: null, topic: null, at: 1 }, { text: 'x'.repeat(262_144) }),
        /too large/,
      );
      await assert.rejects(entries.get(''), /can't be empty/);
      await assert.rejects(entries.get('x'.repeat(limits.collectionKeyCharactersMax + 1)), /too long/);
      await assert.rejects(entries.put('k', note('a', 1), -1), /not a version/);
      await assert.rejects(entries.query({ where: { more: 1 } as never }), /no field "more"/);
      await assert.rejects(entries.query({ limit: 0 }), /out of range/);
      await assert.rejects(entries.query({ after: 'x' }), /`next` of the previous page/);
      assert.equal(await entries.get('k'), undefined);
    });

    test('the longest keys, names and fields fit', async (t) => {
      const { store } = await setUp(t);
      // Different characters of three bytes each, so that nothing can be packed.
      const long = (length: number) =>
        String.fromCharCode(...Array.from({ length }, (_, at) => 0x4e00 + ((at * 7919) % 20_000)));
      const name = long(limits.moduleStoreNameCharactersMax);
      const entries = store(name, name).collection(notes);
      const person = long(limits.collectionTextCharactersMax);
      await entries.put(long(limits.collectionKeyCharactersMax), note(person, 1));
      assert.equal((await entries.query({ where: { person } })).entries.length, 1);
    });

    test('a tenant is forgotten with all its entries, and no other is', async (t) => {
      const { store, table } = await setUp(t);
      for (let at = 0; at < limits.collectionEntriesDeletedAtOnce + 5; at++)
        await store().collection(brief).put(`k${at}`, { value: at, fields: { at } });
      await store('n').collection(notes).put('k', note('ann', 1));
      await store('m', 'other').collection(notes).put('k', note('ann', 1));
      await table.forget('nobody');
      await table.forget('s');
      assert.deepEqual((await store().collection(brief).query()).entries, []);
      assert.deepEqual((await store('n').collection(notes).query()).entries, []);
      assert.equal(await store('n').collection(notes).revision(), 0);
      assert.ok(await store('m', 'other').collection(notes).get('k'));
    });
  });
}
