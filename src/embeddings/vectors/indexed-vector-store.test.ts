import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { limits as kernelLimits } from '../../kernel/limits.ts';
import type { Vector } from '../../kernel/ports/embeddings.ts';
import type { VectorMatch, VectorSearchResult, VectorTable } from '../../kernel/ports/vectors.ts';
import { createModuleTables } from '../../testing/module-tables.ts';
import { limits } from '../limits.ts';
import { IndexedVectorStore } from './indexed-vector-store.ts';
import { createSlabs, slabBytes } from './slabs.ts';

const ttlSeconds = 60;

function setUp({ perScope = 1000, slabs = 1000, table = createModuleTables().vectors } = {}) {
  const clock = new ManualClock();
  const open = () =>
    new IndexedVectorStore({ table, clock, perScope, slabs: () => createSlabs(slabBytes * slabs) });
  const [kept, another] = [open(), open()];
  return { clock, table, kept, vectors: kept.vectors('m', 's'), elsewhere: another.vectors('m', 's') };
}

test('the nearest are found, in order, with what was kept with them', async () => {
  const { vectors, clock } = setUp();
  const all = Array.from({ length: 500 }, (_, at) => direction(at));
  for (const [at, vector] of all.entries())
    await vectors.add({ id: `${at}`, vector, data: `data ${at}`, ttlSeconds });
  const near = direction(250.2);
  const { found } = await vectors.search(near, { most: 3 });
  const exact = all
    .map((vector, at) => ({ id: `${at}`, cosine: cosineOf(vector, near) }))
    .sort((one, other) => other.cosine - one.cosine);
  assert.deepEqual(
    found?.map(({ id }) => id),
    exact.slice(0, 3).map(({ id }) => id),
  );
  found?.forEach(({ id, cosine, data, addedAtMs }, at) => {
    assert.ok(Math.abs(cosine - (exact[at]?.cosine ?? 0)) < 0.005);
    assert.deepEqual([data, addedAtMs], [`data ${id}`, clock.now()]);
  });
  const [best] = (await vectors.search(direction(7), { least: 0.9999 })).found ?? [];
  assert.deepEqual([best?.id, best?.cosine], ['7', 1]);
  assert.deepEqual((await vectors.search(near, { least: 1 })).found, []);
});

test('modules, tenants, parts and spaces are apart', async () => {
  const { kept, vectors } = setUp();
  const vector = direction(1);
  await vectors.add({ id: 'a', vector, part: 'p', ttlSeconds });
  assert.deepEqual(idsIn(await vectors.search(vector, { part: 'p' })), ['a']);
  assert.deepEqual(idsIn(await vectors.search(vector)), []);
  assert.deepEqual(idsIn(await vectors.search({ ...vector, space: 'another/64' }, { part: 'p' })), []);
  assert.deepEqual(idsIn(await kept.vectors('m', 'other').search(vector, { part: 'p' })), []);
  assert.deepEqual(idsIn(await kept.vectors('n', 's').search(vector, { part: 'p' })), []);
});

test('what another replica added is found after a second, and what it removed never', async () => {
  const { vectors, elsewhere, clock } = setUp();
  const vector = direction(1);
  assert.deepEqual(idsIn(await vectors.search(vector)), []);
  await elsewhere.add({ id: 'a', vector, ttlSeconds });
  await vectors.add({ id: 'b', vector, ttlSeconds });
  assert.deepEqual(idsIn(await vectors.search(vector)), ['b']);
  clock.move(limits.vectorsFreshMs);
  assert.deepEqual(idsIn(await vectors.search(vector)).toSorted(), ['a', 'b']);
  await elsewhere.remove(['a']);
  assert.deepEqual(idsIn(await vectors.search(vector)), ['b']);
  await elsewhere.forget();
  assert.deepEqual(idsIn(await vectors.search(vector)), []);
  await elsewhere.add({ id: 'c', vector, ttlSeconds });
  clock.move(limits.vectorsFreshMs);
  assert.deepEqual(idsIn(await vectors.search(vector)), ['c']);
});

test('where many were removed elsewhere those behind them are found', async () => {
  const { vectors, elsewhere } = setUp();
  for (let at = 0; at < 60; at++) await vectors.add({ id: `${at}`, vector: direction(at), ttlSeconds });
  const near = direction(0);
  assert.equal(idsIn(await vectors.search(near, { most: 5 }))[0], '0');
  const nearest = idsIn(await vectors.search(near, { most: 40 }));
  await elsewhere.remove(nearest.slice(0, 30));
  assert.deepEqual(idsIn(await vectors.search(near, { most: 5 })), nearest.slice(30, 35));
});

test('a vector that was replaced elsewhere by one of another space is found there, and here no more', async () => {
  const { vectors, elsewhere, clock } = setUp();
  const vector = direction(1);
  const another = { ...vector, space: 'another/64' };
  await vectors.add({ id: 'a', vector, ttlSeconds });
  assert.deepEqual(idsIn(await vectors.search(vector)), ['a']);
  await elsewhere.add({ id: 'a', vector: another, ttlSeconds });
  clock.move(limits.vectorsFreshMs);
  assert.deepEqual(idsIn(await vectors.search(vector)), []);
  assert.deepEqual(idsIn(await vectors.search(another)), ['a']);
});

test('what is over is not found, and what is added again under its id replaces it', async () => {
  const { vectors, clock } = setUp();
  await vectors.add({ id: 'a', vector: direction(1), data: 'old', ttlSeconds: 10 });
  clock.move(9999);
  assert.deepEqual(idsIn(await vectors.search(direction(1))), ['a']);
  clock.move(1);
  assert.deepEqual(idsIn(await vectors.search(direction(1))), []);
  await vectors.add({ id: 'a', vector: direction(50), data: 'new', ttlSeconds: 10 });
  const { found } = await vectors.search(direction(50), { least: 0.99 });
  assert.deepEqual(
    found?.map(({ id, data }) => [id, data]),
    [['a', 'new']],
  );
});

test('past the bound the oldest go first, in memory as well', async () => {
  const { kept, vectors, elsewhere, clock } = setUp({ perScope: 20 });
  await elsewhere.search(direction(0));
  for (let at = 0; at < 50; at++) await vectors.add({ id: `${at}`, vector: direction(at), ttlSeconds });
  clock.move(limits.vectorsFreshMs);
  for (const one of [vectors, elsewhere]) {
    const ids = idsIn(await one.search(direction(25), { most: 100, least: -1 }));
    assert.deepEqual(ids.map(Number).toSorted(ascending), range(30, 50));
  }
  assert.ok(kept.figures.slabs <= 2);
});

test('parts that were not used of late make room for others, and are read again', async () => {
  // A slab has room for 96 vectors of this size.
  const { kept, vectors } = setUp({ slabs: 3 });
  for (let part = 0; part < 5; part++)
    for (let at = 0; at < 50; at++)
      await vectors.add({ id: `${at}`, part: `${part}`, vector: direction(at), ttlSeconds });
  for (const part of ['0', '1', '2', '3', '4', '0'])
    assert.equal(idsIn(await vectors.search(direction(9), { part, most: 1 }))[0], '9');
  assert.deepEqual(kept.figures, { parts: 3, slabs: 3 });
  for (let at = 0; at < 400; at++)
    await vectors.add({ id: `${at}`, part: 'large', vector: direction(at), ttlSeconds });
  assert.deepEqual(await vectors.search(direction(9), { part: 'large' }), { why: 'full' });
  assert.equal(idsIn(await vectors.search(direction(9), { part: '1', most: 1 }))[0], '9');
});

test('an unavailable or slow database is reported, and throws no error', async () => {
  const away: VectorTable = Object.assign(createModuleTables().vectors, {
    added: () => Promise.reject(new Error('gone')),
    add: () => Promise.reject(new Error('gone')),
    remove: () => Promise.reject(new Error('gone')),
    forget: () => Promise.reject(new Error('gone')),
  });
  const { vectors } = setUp({ table: away });
  const vector = direction(1);
  assert.deepEqual(await vectors.search(vector), { why: 'away' });
  assert.deepEqual(await vectors.add({ id: 'a', vector, ttlSeconds }), { why: 'away' });
  assert.deepEqual(await vectors.remove(['a']), { why: 'away' });
  assert.deepEqual(await vectors.forget(), { why: 'away' });
  const slow = Object.assign(createModuleTables().vectors, {
    added: () => new Promise<never>(() => undefined),
  });
  assert.deepEqual(await setUp({ table: slow }).vectors.search(vector, { deadlineMs: 5 }), { why: 'late' });
});

test('a search in very many lets others have their turn, and finds what it should', async () => {
  const { vectors } = setUp({ perScope: 10_000, slabs: 2000 });
  const large = (at: number): Vector => {
    const values = new Float32Array(kernelLimits.vectorValuesMax);
    values.set(direction(at).values);
    return { space: 'large', values };
  };
  for (let at = 0; at < limits.vectorSlabsAtOnce + 10; at++)
    await vectors.add({ id: `${at}`, vector: large(at), ttlSeconds });
  await vectors.search(large(0), { deadlineMs: 60_000 });
  let turns = 0;
  const counting = setImmediate(function count() {
    turns++;
    setImmediate(count).unref();
  });
  const { found } = await vectors.search(large(limits.vectorSlabsAtOnce + 5), { most: 1 });
  clearImmediate(counting);
  assert.ok(turns > 0);
  assert.equal(found?.[0]?.id, `${limits.vectorSlabsAtOnce + 5}`);
});

test('wrong arguments are refused in words for whoever wrote the module', async () => {
  const { vectors } = setUp();
  const vector = direction(1);
  await assert.rejects(
    vectors.add({ id: 'x'.repeat(129), vector, ttlSeconds }),
    /an id may have at most 128 characters, got 129/,
  );
  await assert.rejects(
    vectors.add({ id: 'a', vector, data: 'x'.repeat(4097), ttlSeconds }),
    /at most 4096 bytes, got 4097/,
  );
  await assert.rejects(vectors.add({ id: 'a\0', vector, ttlSeconds }), /NUL/);
  await assert.rejects(vectors.add({ id: 'a', vector, ttlSeconds: 0 }), /ttlSeconds must be positive, got 0/);
  await assert.rejects(vectors.search(vector, { most: 101 }), /most must be 1 to 100, got 101/);
  await assert.rejects(vectors.remove(Array(101).fill('a')), /too many ids: 101, at most 100/);
});

/** Directions that turn away from each other the further apart their numbers are. */
function direction(at: number, size = 64): Vector {
  const values = Float32Array.from({ length: size }, (_, place) => Math.sin((at / 97) * (place + 1) + place));
  const length = Math.hypot(...values);
  return { space: `test/${size}`, values: values.map((value) => value / length) };
}

function cosineOf(one: Vector, other: Vector): number {
  return one.values.reduce((sum, value, at) => sum + value * (other.values[at] ?? 0), 0);
}

function idsIn({ found = [] }: VectorSearchResult): readonly string[] {
  return found.map(({ id }: VectorMatch) => id);
}

function ascending(one: number, other: number): number {
  return one - other;
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from }, (_, at) => from + at);
}
