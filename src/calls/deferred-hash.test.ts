import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { DeferredHash } from './deferred-hash.ts';

test('the hash is the same however the bytes are cut, and however many there are', () => {
  for (const sizes of [
    [],
    [0],
    [5],
    [1, 2, 3],
    [300_000],
    [200_000, 100_000, 7],
    Array<number>(1000).fill(999),
  ]) {
    const late = new DeferredHash();
    const plain = createHash('sha256');
    for (const [at, size] of sizes.entries()) {
      const piece = Buffer.alloc(size, at);
      late.add(piece);
      plain.update(piece);
    }
    late.add('ende ü');
    assert.equal(late.digest(), plain.update('ende ü').digest('hex'));
  }
  assert.equal(new DeferredHash().digest(), createHash('sha256').digest('hex'));
});
