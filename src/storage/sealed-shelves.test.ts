import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MovedClock } from '../../test/support/moved-clock.ts';
import { Sealing } from '../accounts/sealing.ts';
import { systemClock } from '../kernel/clock.ts';
import { MemoryShelves } from './memory/memory-shelves.ts';
import { SealedShelves } from './sealed-shelves.ts';
import { shelvesConformance } from './shelves-conformance.ts';

const sealing = new Sealing([Buffer.alloc(32, 1)]);

shelvesConformance('sealed shelves', () => {
  const clock = new MovedClock();
  const shelves = new SealedShelves(new MemoryShelves(clock), sealing);
  return { shelves, pass: (seconds) => clock.move(seconds * 1000) };
});

test('who looks into the shelves reads nothing, and what is moved elsewhere opens nowhere', async () => {
  const open = new MemoryShelves(systemClock);
  const sealed = new SealedShelves(open, sealing);
  await sealed.shelf('a').put('key', Buffer.from('a secret answer'), 60);
  const bytes = await open.shelf('a').get('key');
  assert.ok(bytes);
  assert.ok(!Buffer.from(bytes).includes('secret'));
  await open.shelf('b').put('key', bytes, 60);
  await open.shelf('a').put('other', bytes, 60);
  assert.equal(await sealed.shelf('b').get('key'), undefined);
  assert.equal(await sealed.shelf('a').get('other'), undefined);
  const others = new SealedShelves(open, new Sealing([Buffer.alloc(32, 2)]));
  assert.equal(await others.shelf('a').get('key'), undefined);
});
