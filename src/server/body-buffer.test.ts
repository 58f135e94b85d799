import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { collectGarbage } from '../../test/support/collect-garbage.ts';
import { BodyBuffer } from './body-buffer.ts';

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
          const bodyBuffer = new BodyBuffer(isAnnounced ? body.byteLength : Number.NaN);
          for (const part of parts) bodyBuffer.add(own(part));
          assert.deepEqual(bodyBuffer.toBuffer(), body);
        },
      ),
    );
  });

  test('are freed as soon as they are copied if they are large and share their memory with nothing', () => {
    const large = own(Buffer.alloc(16 * 1024, 1));
    const small = own(Buffer.alloc(1000, 2));
    const sharing = own(Buffer.alloc(40_000, 3)).subarray(20_000);
    const body = Buffer.concat([large, small, sharing]);
    for (const contentLength of [body.byteLength, Number.NaN]) {
      const bodyBuffer = new BodyBuffer(contentLength);
      const freed = own(large);
      for (const chunk of [freed, small, sharing]) bodyBuffer.add(chunk);
      assert.deepEqual([freed.byteLength, small.byteLength, sharing.byteLength], [0, 1000, 20_000]);
      assert.ok(bodyBuffer.toBuffer().equals(body));
    }
  });

  test('take no more room than came while little of what was announced is there', () => {
    const part = own(Buffer.alloc(1000, 1));
    const bodyBuffer = new BodyBuffer(30 * 1024 * 1024);
    const before = process.memoryUsage().arrayBuffers;
    bodyBuffer.add(part);
    assert.ok(process.memoryUsage().arrayBuffers - before < 1024 * 1024);
  });

  test('take little more room than the body, however small they are', () => {
    const bodyBuffer = new BodyBuffer(Number.NaN);
    const before = process.memoryUsage();
    for (let left = 600_000; left > 0; left--) bodyBuffer.add(own(Buffer.of(left)));
    const after = process.memoryUsage();
    assert.ok(after.heapUsed - before.heapUsed < 80e6);
    assert.equal(bodyBuffer.toBuffer().byteLength, 600_000);
  });

  test('free their memory at once when they are discarded', () => {
    const part = Buffer.alloc(100_001, 1).subarray(1);
    for (const announced of [30 * 1024 * 1024, 15 * 1024 * 1024, Number.NaN]) {
      const bodyBuffer = new BodyBuffer(announced);
      collectGarbage();
      const before = process.memoryUsage().arrayBuffers;
      for (let left = 100; left > 0; left--) bodyBuffer.add(part);
      const held = process.memoryUsage().arrayBuffers - before;
      bodyBuffer.discard();
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
