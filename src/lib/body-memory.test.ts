import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BodyMemory, releaseBytes } from './body-memory.ts';

describe('memory of a body', () => {
  test('is given back when the last who keeps it lets go, and once', () => {
    const bytes = Buffer.allocUnsafeSlow(100_000);
    const memory = new BodyMemory(bytes);
    const [first, second] = [memory.retain(), memory.retain()];
    first();
    first();
    assert.equal(bytes.byteLength, 100_000);
    assert.equal(memory.isReleased, false);
    second();
    assert.equal(bytes.byteLength, 0);
    assert.equal(memory.isReleased, true);
  });

  test('is left alone where others have a part in it', () => {
    const shared = Buffer.alloc(100, 'x');
    releaseBytes(shared.subarray(0, 50));
    assert.equal(shared.toString(), 'x'.repeat(100));
  });
});
