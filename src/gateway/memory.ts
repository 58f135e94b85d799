import { systemClock } from '../kernel/clock.ts';
import { limits } from '../kernel/limits.ts';
import type { Purses } from '../kernel/ports/purse.ts';
import type { SharedState } from '../kernel/ports/shared-state.ts';
import type { Shelves } from '../kernel/ports/shelves.ts';
import { MemoryPurses } from '../storage/memory/memory-purses.ts';
import { MemorySharedState } from '../storage/memory/memory-shared-state.ts';
import { MemoryShelves } from '../storage/memory/memory-shelves.ts';
import type { Gauge } from '../telemetry/process-gauges.ts';

/** What has to be quick, and may be lost: in the memory of a process, or in Redis. */
export interface Memory {
  readonly shared: SharedState;
  /** What keys may still spend. */
  readonly purses: Purses;
  /** What modules keep. */
  readonly shelves: Shelves;
  /** Conversations that clients go on from by name. */
  readonly turnShelves: Shelves;
  /** Drops all that is counted or kept for an account that is gone. */
  erase(traces: Traces): Promise<void>;
  /** Figures for operators, by name and what they mean. */
  readonly gauges: readonly Gauge[];
}

/** By what an account is known here. */
interface Traces {
  readonly accountId: string;
  /** Names of its shelves, of either kind. */
  readonly shelves: readonly string[];
}

export interface OwnMemory extends Memory {
  readonly shared: MemorySharedState;
}

/** The memory of this process. */
export function ownMemory(): OwnMemory {
  const shelves = new MemoryShelves(systemClock);
  const shared = new MemorySharedState(systemClock);
  const purses = new MemoryPurses(systemClock);
  const turnShelves = new MemoryShelves(systemClock, limits.turnBytesMax);
  return {
    shared,
    purses,
    shelves,
    turnShelves,
    async erase({ accountId, shelves: names }) {
      shared.erase(accountId);
      purses.erase(accountId);
      for (const name of names) {
        await shelves.forget(name);
        await turnShelves.forget(name);
      }
    },
    gauges: [
      {
        name: 'weir_counted_accounts',
        help: `Accounts whose counts and versions are kept in memory, of ${limits.countedAccountsMax}`,
        read: shared.sizes.accounts,
      },
      {
        name: 'weir_attempt_windows',
        help: `Windows of tries kept in memory, of ${limits.attemptWindowsMax}`,
        read: shared.sizes.windows,
      },
      {
        name: 'weir_purses',
        help: `Purses of keys kept in memory, of ${limits.pursesMax}`,
        read: () => purses.size,
      },
      {
        name: 'weir_turn_bytes',
        help: `Bytes of conversations kept in memory, of ${limits.turnBytesMax}`,
        read: () => turnShelves.bytes,
      },
      {
        name: 'weir_shelf_bytes',
        help: `Bytes that modules keep in memory, of ${limits.shelfBytesMax}`,
        read: () => shelves.bytes,
      },
    ],
  };
}
