import type { TestContext } from 'node:test';
import type { OwnMemory } from '../../src/gateway/memory.ts';
import { MemoryPurses } from '../../src/storage/memory/memory-purses.ts';
import { MemorySharedState } from '../../src/storage/memory/memory-shared-state.ts';
import { MemoryShelves } from '../../src/storage/memory/memory-shelves.ts';
import { type MemoryQuestions, memoryAnswers } from '../../src/workers/memory-questions.ts';
import { Peer } from '../../src/workers/peer.ts';
import type { WorkerQuestions } from '../../src/workers/questions.ts';
import { remoteMemory } from '../../src/workers/remote-memory.ts';
import { type Holder, SlotsAhead } from '../../src/workers/slots-ahead.ts';
import { joinedLinks } from './joined-links.ts';
import type { MovedClock } from './moved-clock.ts';

export function memoryWith(clock: MovedClock): OwnMemory {
  return {
    shared: new MemorySharedState(clock),
    purses: new MemoryPurses(clock),
    shelves: new MemoryShelves(clock),
    turnShelves: new MemoryShelves(clock),
    erase: async () => undefined,
    gauges: [],
  };
}

/** All processes that share a memory, and hear of changes with each other. */
export function together(memory: OwnMemory, idleMs = 60_000, returnedMs = 500) {
  const holders = new Set<Holder>();
  return {
    memory,
    holders,
    ahead: new SlotsAhead({ slots: memory.shared.slots, holders, idleMs, returnedMs }),
  };
}

/** The memory as another process sees it. */
export function seenFromAfar(t: TestContext, memory: OwnMemory, { holders, ahead } = together(memory)) {
  const { ends, messages, cut } = joinedLinks(t);
  const [here, there] = ends;
  const holder: Holder = {
    get hasEnded() {
      return primary.hasEnded;
    },
    forgetAccount: (accountId, withinMs) => primary.askWithin(withinMs, 'forgetAccount', accountId),
  };
  const primary = new Peer<MemoryQuestions, Process>({
    link: there,
    answers: memoryAnswers(memory, ahead, holder),
  });
  holders.add(holder);
  const answers: Process = { forgetAccount: async (accountId) => seen.forgetAccount(accountId) };
  const seen = remoteMemory(new Peer<Process, MemoryQuestions>({ link: here, answers }));
  const asked = (name: string) => messages.flatMap((said) => said.asked.filter((one) => one.name === name));
  return { ...seen, messages, asked, cut, holder };
}

type Process = Pick<WorkerQuestions, 'forgetAccount'>;
