import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { joinedLinks } from '../../test/support/joined-links.ts';
import { MovedClock } from '../../test/support/moved-clock.ts';
import type { Memory } from '../gateway/memory.ts';
import { limits } from '../kernel/limits.ts';
import { MemoryPurses } from '../storage/memory/memory-purses.ts';
import { MemorySharedState } from '../storage/memory/memory-shared-state.ts';
import { MemoryShelves } from '../storage/memory/memory-shelves.ts';
import { purseConformance } from '../storage/purse-conformance.ts';
import { sharedStateConformance } from '../storage/shared-state-conformance.ts';
import { shelvesConformance } from '../storage/shelves-conformance.ts';
import { type MemoryQuestions, memoryAnswers } from './memory-questions.ts';
import { Peer } from './peer.ts';
import { remoteMemory } from './remote-memory.ts';

function memoryWith(clock: MovedClock): Memory {
  return {
    shared: new MemorySharedState(clock),
    purses: new MemoryPurses(clock),
    shelves: new MemoryShelves(clock),
    turnShelves: new MemoryShelves(clock),
    erase: async () => undefined,
    gauges: [],
  };
}

function seenFromAfar(t: TestContext, memory: Memory) {
  const { ends, cut } = joinedLinks(t);
  const [here, there] = ends;
  new Peer({ link: there, answers: memoryAnswers(memory) });
  return { ...remoteMemory(new Peer<object, MemoryQuestions>({ link: here, answers: {} })), cut };
}

sharedStateConformance('shared state in the primary process', (t) => {
  const clock = new MovedClock();
  const memory = memoryWith(clock);
  return {
    replicas: [seenFromAfar(t, memory).shared, seenFromAfar(t, memory).shared],
    nowMs: clock.now(),
    pass: (seconds) => clock.move(seconds * 1000),
    lose: async () => seenFromAfar(t, memoryWith(clock)).shared,
  };
});

purseConformance('purses in the primary process', (t) => {
  const clock = new MovedClock();
  const memory = memoryWith(clock);
  return {
    replicas: [seenFromAfar(t, memory).purses, seenFromAfar(t, memory).purses],
    pass: (seconds) => clock.move(seconds * 1000),
    lose: async () => seenFromAfar(t, memoryWith(clock)).purses,
  };
});

for (const which of ['shelves', 'turnShelves'] as const)
  shelvesConformance(`${which} in the primary process`, (t) => {
    const clock = new MovedClock();
    return {
      shelves: seenFromAfar(t, memoryWith(clock))[which],
      pass: (seconds) => clock.move(seconds * 1000),
    };
  });

test('what modules keep and what clients go on from are shelves apart', async (t) => {
  const { shelves, turnShelves } = seenFromAfar(t, memoryWith(new MovedClock()));
  await shelves.shelf('a').put('key', Buffer.from('1'), 60);
  assert.equal(await turnShelves.shelf('a').get('key'), undefined);
});

test('a value that is too large is not kept, nor the one before it', async (t) => {
  const { shelves } = seenFromAfar(t, memoryWith(new MovedClock()));
  const shelf = shelves.shelf('a');
  await shelf.put('key', Buffer.from('old'), 60);
  await shelf.put('key', Buffer.alloc(limits.shelfValueBytesMax + 1), 60);
  assert.equal(await shelf.get('key'), undefined);
});

test('what is kept is the value, not the message that it came in', async (t) => {
  const kept: Uint8Array[] = [];
  const memory = memoryWith(new MovedClock());
  const watched = {
    forget: async () => undefined,
    shelf: () => ({
      ...memory.shelves.shelf(''),
      put: async (_: string, value: Uint8Array) => void kept.push(value),
    }),
  };
  const { shelves } = seenFromAfar(t, { ...memory, shelves: watched });
  await shelves.shelf('a').put('key', new Uint8Array(1000).subarray(0, 10), 60);
  assert.deepEqual(
    kept.map(({ buffer }) => buffer.byteLength),
    [10],
  );
});

test('while nobody answers shelves are empty, and counting is refused', async (t) => {
  const { shared, shelves, cut } = seenFromAfar(t, memoryWith(new MovedClock()));
  const shelf = shelves.shelf('a');
  await shelf.put('key', Buffer.from('1'), 60);
  const away = { code: 'storage_unavailable' };
  cut();
  await assert.rejects(shared.ping(), away);
  await assert.rejects(async () => shared.versions.of('a'), away);
  assert.equal(await shelf.get('key'), undefined);
  await shelf.put('key', Buffer.from('1'), 60);
  await assert.rejects(shelf.delete('key'), away);
});
