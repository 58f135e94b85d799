import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Pieces } from './pieces.ts';

describe('the pieces of a body', () => {
  test('make up the body, whatever they were and whatever was announced', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 60 }),
        fc.boolean(),
        fc.constantFrom(1, 100),
        (few, isAnnounced, times) => {
          const parts = few.map((part) => Buffer.concat(Array.from({ length: times }, () => part)));
          const body = Buffer.concat(parts);
          const pieces = new Pieces(isAnnounced ? body.byteLength : Number.NaN);
          for (const part of parts) pieces.add(own(part));
          assert.deepEqual(pieces.joined(), body);
        },
      ),
    );
  });

  test('may be in memory that is used again for the next one', () => {
    const parts = Array.from({ length: 50 }, (_, at) => Buffer.alloc((at * 7919) % 40_000, at));
    const body = Buffer.concat(parts);
    for (const announced of [body.byteLength, Number.NaN]) {
      const pieces = new Pieces(announced);
      const shared = Buffer.alloc(40_000);
      for (const part of parts) {
        part.copy(shared);
        pieces.add(shared.subarray(0, part.byteLength));
      }
      shared.fill(255);
      assert.ok(pieces.joined().equals(body));
    }
  });

  test('take no more room than came while little of what was announced is there', () => {
    const part = own(Buffer.alloc(1000, 1));
    const pieces = new Pieces(30 * 1024 * 1024);
    const before = process.memoryUsage().arrayBuffers;
    pieces.add(part);
    assert.ok(process.memoryUsage().arrayBuffers - before < 1024 * 1024);
  });

  test('take little more room than the body, however small they are', () => {
    const pieces = new Pieces(Number.NaN);
    const before = process.memoryUsage();
    for (let left = 600_000; left > 0; left--) pieces.add(own(Buffer.of(left)));
    const after = process.memoryUsage();
    assert.ok(after.heapUsed - before.heapUsed < 80e6);
    assert.equal(pieces.joined().byteLength, 600_000);
  });

  test('give their memory back at once when nobody wants them', () => {
    const part = own(Buffer.alloc(100_000, 1));
    for (const announced of [30 * 1024 * 1024, 15 * 1024 * 1024, Number.NaN]) {
      const pieces = new Pieces(announced);
      const before = process.memoryUsage().arrayBuffers;
      for (let left = 100; left > 0; left--) pieces.add(part);
      const held = process.memoryUsage().arrayBuffers - before;
      pieces.drop();
      const left = process.memoryUsage().arrayBuffers - before;
      assert.ok(held >= 10_000_000 && left < 100_000, `${left} of ${held} bytes are held`);
    }
  });
});

/** In memory of its own, as a piece from a socket is. */
function own(bytes: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.byteLength);
  copy.set(bytes);
  return copy;
}
