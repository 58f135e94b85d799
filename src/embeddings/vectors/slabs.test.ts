import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSlabs, slabBytes, vectorsInSlab } from './slabs.ts';

test('dot products are right for vectors of any size', () => {
  for (const size of [1, 15, 16, 17, 384, 1536, 4096]) {
    const slabs = createSlabs(slabBytes * 4);
    const count = vectorsInSlab(size);
    const vectors = Array.from({ length: count }, (_, at) => codes(size, at));
    const query = codes(size, 1000);
    const expected = vectors.map((vector) =>
      vector.reduce((sum, code, at) => sum + code * (query[at] ?? 0), 0),
    );
    const slab = slabs.allocate() ?? assert.fail();
    // What was there before must not count.
    slabs.write(slab, 0, new Int8Array(slabBytes).fill(127));
    vectors.forEach((vector, at) => {
      slabs.write(slab, at, vector);
    });
    slabs.setQuery(new Int8Array(4096).fill(-127));
    slabs.setQuery(query);
    assert.deepEqual([...slabs.dotProducts(slab, count).subarray(0, count)], expected, `${size}`);
  }
});

test('the largest values there are do not run over', () => {
  const slabs = createSlabs(slabBytes);
  const slab = slabs.allocate() ?? assert.fail();
  slabs.write(slab, 0, new Int8Array(4096).fill(-127));
  slabs.setQuery(new Int8Array(4096).fill(-127));
  assert.equal(slabs.dotProducts(slab, 1)[0], 4096 * 127 * 127);
});

test('there are no more than there may be, and what was given back is taken again', () => {
  const slabs = createSlabs(slabBytes * 700);
  const all = Array.from({ length: 700 }, () => slabs.allocate() ?? assert.fail());
  assert.equal(new Set(all).size, 700);
  assert.equal(slabs.allocate(), undefined);
  slabs.free(all[5] ?? assert.fail());
  assert.equal(slabs.allocated, 699);
  assert.equal(slabs.allocate(), all[5]);
  assert.equal(slabs.allocate(), undefined);
});

function codes(size: number, seed: number): Int8Array {
  return Int8Array.from({ length: size }, (_, at) => (((seed + 1) * 7919 + at * 104_729) % 255) - 127);
}
