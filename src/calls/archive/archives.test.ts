import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { Sealer } from '../../accounts/sealer.ts';
import { ModuleStoresWithCollections } from '../../storage/module-stores.ts';
import { createModuleTables } from '../../testing/module-tables.ts';
import { limits } from '../limits.ts';
import { Archives } from './archives.ts';

const plenty = 64 * 1024 * 1024;

function setUp(bytesMax = plenty) {
  const clock = { ms: 1_000_000, now: () => clock.ms++ };
  const { modules: values, collections: entries } = createModuleTables(clock);
  const sealer = new Sealer([Buffer.alloc(32, 'test')]);
  const stores = new ModuleStoresWithCollections({ values, entries, sealer, clock });
  const archives = new Archives({ stores, clock, bytesMax });
  const as = (person: string | null, scope = 's') => archives.of(scope, () => person);
  return { archives, clock, as };
}

function item(ref: string, content: unknown, person: string | null = null, conversation = 'talk') {
  return { ref, content: [{ role: 'user', content }], person, conversation, ttlSeconds: 60 };
}

describe('the archive', () => {
  test('keeps the first item of a ref, for its account and until it expires', async () => {
    const { archives, clock, as } = setUp();
    assert.deepEqual(await as(null).put([item('a', 'first')]), ['a']);
    await as(null).put([item('a', 'second')]);
    const found = await as(null).find('a');
    assert.deepEqual(found?.content, [{ role: 'user', content: 'first' }]);
    assert.equal(found?.conversation, 'talk');
    assert.equal(await as(null, 'other').find('a'), undefined);
    assert.equal(await archives.find('s', { ref: 'a', conversation: 'other' }), undefined);
    assert.equal(await as(null).find('no such ref!'), undefined);
    clock.ms += 60_000;
    assert.equal(await as(null).find('a'), undefined);
  });

  test('skips what is too large, and drops the oldest beyond its size', async () => {
    const { as } = setUp(3000);
    const noise = (bytes: number) => randomBytes(bytes).toString('base64');
    assert.deepEqual(await as(null).put([item('large', noise(4000)), item('a', 'small')]), ['a']);
    for (const ref of ['b', 'c', 'd', 'e']) await as(null).put([item(ref, noise(800))]);
    assert.equal(await as(null).find('a'), undefined);
    assert.ok(await as(null).find('e'));
  });

  test('is listed the newest first, by conversation and page by page', async () => {
    const { as } = setUp();
    await as(null).put(['a', 'b', 'c'].map((ref) => item(ref, ref)));
    await as(null).put([item('d', 'd', null, 'other')]);
    const refs = async (options: Parameters<ReturnType<typeof as>['list']>[0]) =>
      (await as(null).list(options)).items.map(({ ref }) => ref).join('');
    assert.equal(await refs({}), 'dcba');
    assert.equal(await refs({ conversation: 'talk' }), 'cba');
    const { next } = await as(null).list({ limit: 2 });
    assert.equal(await refs({ limit: 2, after: next }), 'ba');
  });

  test('is summed up by conversation, for its account', async () => {
    const { archives, as } = setUp();
    await as(null).put([item('a', 'a'), item('b', 'b', 'user-ann')]);
    await as(null).put([item('c', 'c', null, 'other')]);
    await as(null, 'another').put([item('d', 'd')]);
    const { conversations, isComplete } = await archives.conversations('s');
    assert.deepEqual(
      conversations.map(({ conversation, items }) => [conversation, items]),
      [
        ['other', 1],
        ['talk', 2],
      ],
    );
    assert.ok(isComplete);
    for (const { bytes, firstAtMs, lastAtMs } of conversations) assert.ok(bytes > 0 && firstAtMs <= lastAtMs);
    const { items } = await archives.items('s', { conversation: 'talk' });
    assert.deepEqual(
      items.map(({ ref, person }) => [ref, person]),
      [
        ['b', 'user-ann'],
        ['a', null],
      ],
    );
  });

  test('never shows the items of one end user to another', async () => {
    const { as } = setUp();
    await as(null).put([
      item('ann', 'the harbour of Oslo', 'user-ann'),
      item('all', 'the harbour of Bergen'),
    ]);
    for (const [person, seen] of [
      ['user-ann', ['all', 'ann']],
      ['user-bob', ['all']],
      [null, ['all']],
    ] as const) {
      const archive = as(person);
      const { items } = await archive.list();
      assert.deepEqual(items.map(({ ref }) => ref).sort(), seen);
      const found = await archive.search('harbour');
      assert.deepEqual(found.map(({ ref }) => ref).sort(), seen);
      assert.equal((await archive.find('ann')) !== undefined, person === 'user-ann');
    }
    assert.deepEqual((await as('user-bob').list({ person: 'user-ann' })).items, []);
    assert.deepEqual(await as('user-bob').search('harbour', { person: 'user-ann' }), []);
    const own = await as('user-ann').list({ person: 'user-ann' });
    assert.deepEqual(
      own.items.map(({ ref }) => ref),
      ['ann'],
    );
  });

  test('finds the items that share the most words with a text, rare ones first', async () => {
    const { as } = setUp();
    await as(null).put([
      item('a', 'The ferries of Oslo leave at noon'),
      item('b', [{ type: 'text', text: 'The tram of Oslo stops at the museum' }]),
      item('c', 'Nothing about it'),
      item('d', 'Ferries of Oslo', null, 'other'),
    ]);
    const refs = async (text: string, options = {}) =>
      (await as(null).search(text, options)).map(({ ref }) => ref);
    assert.deepEqual(await refs('When does the ferry for the museum of Oslo go?'), ['b', 'd', 'a']);
    assert.deepEqual(await refs('ferries noon', { conversation: 'talk' }), ['a']);
    assert.deepEqual(await refs('Oslo', { limit: 1 }), ['d']);
    assert.deepEqual(await refs('zebra'), []);
    assert.deepEqual(await refs('the of and'), []);
  });

  test('gives other work a turn while it searches a long text', async () => {
    const { as } = setUp();
    const words = Array.from({ length: 400_000 }, (_, at) => (at * 7919).toString(36)).join(' ');
    await as(null).put([item('long', `${words} needle`)]);
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const found = await as(null).search('needle');
    isDone = true;
    assert.equal(found[0]?.ref, 'long');
    assert.ok(turns >= words.length / limits.archiveScannedCharactersAtOnce, String(turns));
  });
});
