import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CachedTurnStore } from './cached-turn-store.ts';
import { limits } from './limits.ts';
import { MemoryCacheBackend } from './memory/memory-cache-backend.ts';

function setUp(bytesMax = 1_000_000) {
  let nowMs = 0;
  const shelves = new MemoryCacheBackend({ now: () => nowMs }, bytesMax);
  const pass = (seconds: number) => {
    nowMs += seconds * 1000;
  };
  return { turns: new CachedTurnStore(shelves, undefined), shelves, pass };
}

const turn = { previous: 'resp_0', items: [{ role: 'user', content: 'Grüße 🌊' }] };

test('a turn comes back as it was, to the scope that kept it', async () => {
  const { turns } = setUp();
  await turns.save('account:a', 'resp_1', turn);
  assert.deepEqual(await turns.find('account:a', 'resp_1'), turn);
  assert.equal(await turns.find('account:b', 'resp_1'), undefined);
  assert.equal(await turns.find('account:a', 'resp_2'), undefined);
});

test('a turn has a bounded life', async () => {
  const { turns, pass } = setUp();
  await turns.save('a', 'resp_1', turn);
  pass(limits.turnLifeSeconds - 1);
  assert.deepEqual(await turns.find('a', 'resp_1'), turn);
  pass(2);
  assert.equal(await turns.find('a', 'resp_1'), undefined);
});

test('when there is no more room, the least recently used turn goes first', async () => {
  const { turns, shelves } = setUp(2000);
  const long = { items: [{ role: 'user', content: 'x'.repeat(800) }] };
  await turns.save('a', 'resp_1', long);
  await turns.save('a', 'resp_2', long);
  await turns.find('a', 'resp_1');
  await turns.save('a', 'resp_3', long);
  assert.ok(shelves.bytes <= 2000);
  const left = await Promise.all(['resp_1', 'resp_2', 'resp_3'].map((id) => turns.find('a', id)));
  assert.deepEqual(
    left.map((found) => found !== undefined),
    [true, false, true],
  );
});
