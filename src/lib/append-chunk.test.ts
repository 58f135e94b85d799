import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { appendChunk } from './append-chunk.ts';

test('pieces of any size make up the same bytes', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 2000 }), { maxLength: 50 }), (parts) => {
      const pieces: Uint8Array[] = [];
      for (const part of parts) appendChunk(pieces, part);
      assert.deepEqual(Buffer.concat(pieces), Buffer.concat(parts));
    }),
  );
});

test('single bytes are kept in few pieces, and a large piece as it is', () => {
  const pieces: Uint8Array[] = [];
  for (let count = 0; count < 100_000; count++) appendChunk(pieces, Buffer.of(count));
  assert.ok(pieces.length < 200, `${pieces.length} pieces`);
  const large = Buffer.alloc(5000);
  appendChunk(pieces, large);
  assert.equal(pieces.at(-1), large);
});
