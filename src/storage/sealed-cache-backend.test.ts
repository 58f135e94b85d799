import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cacheBackendConformance } from '../../test/conformance/cache-backend.ts';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { Sealer } from '../accounts/sealer.ts';
import { systemClock } from '../lib/clock.ts';
import { MemoryCacheBackend } from './memory/memory-cache-backend.ts';
import { SealedCacheBackend } from './sealed-cache-backend.ts';

const sealer = new Sealer([Buffer.alloc(32, 1)]);

cacheBackendConformance('sealed shelves', () => {
  const clock = new ManualClock();
  const backend = new SealedCacheBackend(new MemoryCacheBackend(clock), sealer);
  return { backend, pass: (seconds) => clock.move(seconds * 1000) };
});

test('who looks into the shelves reads nothing, and what is moved elsewhere opens nowhere', async () => {
  const open = new MemoryCacheBackend(systemClock);
  const sealed = new SealedCacheBackend(open, sealer);
  await sealed.cacheFor('a').put('key', Buffer.from('a secret answer'), 60);
  const bytes = await open.cacheFor('a').get('key');
  assert.ok(bytes);
  assert.ok(!Buffer.from(bytes).includes('secret'));
  await open.cacheFor('b').put('key', bytes, 60);
  await open.cacheFor('a').put('other', bytes, 60);
  assert.equal(await sealed.cacheFor('b').get('key'), undefined);
  assert.equal(await sealed.cacheFor('a').get('other'), undefined);
  const others = new SealedCacheBackend(open, new Sealer([Buffer.alloc(32, 2)]));
  assert.equal(await others.cacheFor('a').get('key'), undefined);
});
