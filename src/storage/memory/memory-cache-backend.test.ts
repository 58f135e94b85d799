import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cacheBackendConformance } from '../../../test/conformance/cache-backend.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { systemClock } from '../../lib/clock.ts';
import { MemoryCacheBackend } from './memory-cache-backend.ts';

cacheBackendConformance('shelves in memory', () => {
  const clock = new ManualClock();
  return { backend: new MemoryCacheBackend(clock), pass: (seconds) => clock.move(seconds * 1000) };
});

test('memory shelves never hold more than their bytes, and let go of what was not used', async () => {
  const shelves = new MemoryCacheBackend(systemClock, 10_000);
  const scopedCache = shelves.cacheFor('a');
  await scopedCache.put('dear', Buffer.alloc(1000), 60);
  for (let at = 0; at < 100; at++) {
    await scopedCache.put(`key ${at}`, Buffer.alloc(1000), 60);
    assert.ok(await scopedCache.get('dear'));
    assert.ok(shelves.bytes <= 10_000, String(shelves.bytes));
  }
  assert.equal(await scopedCache.get('key 0'), undefined);
  assert.ok(await scopedCache.get('key 99'));
});

test('memory shelves refuse what is larger than all of them', async () => {
  const shelves = new MemoryCacheBackend(systemClock, 1000);
  await shelves.cacheFor('a').put('key', Buffer.alloc(2000), 60);
  assert.equal(await shelves.cacheFor('a').get('key'), undefined);
  assert.equal(shelves.bytes, 0);
});

test('memory shelves hold what they were given and not the buffer that it is part of', async () => {
  const scopedCache = new MemoryCacheBackend(systemClock).cacheFor('a');
  await scopedCache.put('key', Buffer.alloc(64 * 1024).subarray(10, 20), 60);
  const kept = await scopedCache.get('key');
  assert.equal(kept?.buffer.byteLength, 10);
});
