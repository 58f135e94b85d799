import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MovedClock } from '../../../test/support/moved-clock.ts';
import { systemClock } from '../../kernel/clock.ts';
import { shelvesConformance } from '../shelves-conformance.ts';
import { MemoryShelves } from './memory-shelves.ts';

shelvesConformance('shelves in memory', () => {
  const clock = new MovedClock();
  return { shelves: new MemoryShelves(clock), pass: (seconds) => clock.move(seconds * 1000) };
});

test('memory shelves never hold more than their bytes, and let go of what was not used', async () => {
  const shelves = new MemoryShelves(systemClock, 10_000);
  const shelf = shelves.shelf('a');
  await shelf.put('dear', Buffer.alloc(1000), 60);
  for (let at = 0; at < 100; at++) {
    await shelf.put(`key ${at}`, Buffer.alloc(1000), 60);
    assert.ok(await shelf.get('dear'));
    assert.ok(shelves.bytes <= 10_000, String(shelves.bytes));
  }
  assert.equal(await shelf.get('key 0'), undefined);
  assert.ok(await shelf.get('key 99'));
});

test('memory shelves refuse what is larger than all of them', async () => {
  const shelves = new MemoryShelves(systemClock, 1000);
  await shelves.shelf('a').put('key', Buffer.alloc(2000), 60);
  assert.equal(await shelves.shelf('a').get('key'), undefined);
  assert.equal(shelves.bytes, 0);
});

test('memory shelves hold what they were given and not the buffer that it is part of', async () => {
  const shelf = new MemoryShelves(systemClock).shelf('a');
  await shelf.put('key', Buffer.alloc(64 * 1024).subarray(10, 20), 60);
  const kept = await shelf.get('key');
  assert.equal(kept?.buffer.byteLength, 10);
});
