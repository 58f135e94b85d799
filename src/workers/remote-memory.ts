import type { Memory } from '../gateway/memory.ts';
import { limits } from '../kernel/limits.ts';
import type { Purses } from '../kernel/ports/purse.ts';
import type { SharedState, Slots, Versions } from '../kernel/ports/shared-state.ts';
import type { MemoryQuestions } from './memory-questions.ts';
import type { Peer } from './peer.ts';
import { type Asking, RemoteShelves } from './remote-shelves.ts';
import { RemoteSlots } from './remote-slots.ts';
import { RemoteVersions } from './remote-versions.ts';
import type { Unused } from './slots-ahead.ts';

export interface RemoteMemory extends Memory {
  /** Gives up what is known of an account, and what is here of its slots. */
  forgetAccount(accountId: string): Unused | undefined;
}

type Primary = Pick<Peer<object, MemoryQuestions>, 'ask' | 'askWithin' | 'hasEnded' | 'pending'>;

/** Memory that another process has. */
export function remoteMemory(peer: Primary): RemoteMemory {
  const versions = new RemoteVersions(peer);
  const slots = new RemoteSlots(peer, (accountId, version) => versions.heard(accountId, version));
  const shelves = new RemoteShelves(peer, 'shelves');
  const turnShelves = new RemoteShelves(peer, 'turnShelves');
  return {
    shared: remoteSharedState(peer, slots, versions),
    forgetAccount(accountId) {
      versions.forget(accountId);
      return slots.forget(accountId);
    },
    purses: remotePurses(peer),
    shelves,
    turnShelves,
    erase: (traces) => peer.ask('erase', traces),
    gauges: [
      {
        name: 'weir_primary_pending',
        help: `Questions to the primary process without an answer, of ${limits.workerPendingMax} for each worker`,
        read: () => peer.pending,
      },
      {
        name: 'weir_shelf_pending_bytes',
        help: 'Bytes on their way to the primary process',
        read: () => shelves.pendingBytes + turnShelves.pendingBytes,
      },
    ],
  };
}

function remotePurses(peer: Asking): Purses {
  return {
    hold: (asked) => peer.ask('hold', asked),
    settle: (held, settlement) => peer.ask('settle', held, settlement),
    renew: (held) => peer.ask('renewHold', held),
    begin: (holder, windows, spent) => peer.ask('beginPurse', holder, windows, spent),
  };
}

function remoteSharedState(peer: Asking, slots: Slots, versions: Versions): SharedState {
  return {
    slots,
    versions,
    attempts: {
      count: (name, limit) => peer.ask('count', name, limit),
      forget: (name) => peer.ask('forget', name),
    },
    ping: () => peer.ask('ping'),
    close: async () => undefined,
  };
}
