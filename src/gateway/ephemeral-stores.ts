import { systemClock } from '../kernel/clock.ts';
import { limits } from '../kernel/limits.ts';
import type { Budgets } from '../kernel/ports/budget.ts';
import type { CacheBackend } from '../kernel/ports/scoped-cache.ts';
import type { SharedState } from '../kernel/ports/shared-state.ts';
import { MemoryBudgets } from '../storage/memory/memory-budgets.ts';
import { MemoryCacheBackend } from '../storage/memory/memory-cache-backend.ts';
import { MemorySharedState } from '../storage/memory/memory-shared-state.ts';
import type { Gauge } from '../telemetry/process-gauges.ts';

/** What has to be quick, and may be lost: in the memory of a process, or in Redis. */
export interface EphemeralStores {
  readonly shared: SharedState;
  /** What keys may still spend. */
  readonly budgets: Budgets;
  /** What modules keep. */
  readonly cacheBackend: CacheBackend;
  /** Conversations that clients go on from by name. */
  readonly turnCacheBackend: CacheBackend;
  /** Drops all that is counted or kept for an account that is gone. */
  erase(accountTraces: AccountTraces): Promise<void>;
  /** Figures for operators, by name and what they mean. */
  readonly gauges: readonly Gauge[];
}

/** By what an account is known here. */
interface AccountTraces {
  readonly accountId: string;
  /** Names of its shelves, of either kind. */
  readonly shelves: readonly string[];
}

export interface InProcessStores extends EphemeralStores {
  readonly shared: MemorySharedState;
}

/** The memory of this process. */
export function createInProcessStores(): InProcessStores {
  const cacheBackend = new MemoryCacheBackend(systemClock);
  const shared = new MemorySharedState(systemClock);
  const budgets = new MemoryBudgets(systemClock);
  const turnCacheBackend = new MemoryCacheBackend(systemClock, limits.turnBytesMax);
  return {
    shared,
    budgets,
    cacheBackend,
    turnCacheBackend,
    async erase({ accountId, shelves: names }) {
      shared.erase(accountId);
      budgets.erase(accountId);
      for (const name of names) {
        await cacheBackend.clear(name);
        await turnCacheBackend.clear(name);
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
        help: `Windows of tries kept in memory, of ${limits.rateLimitWindowsMax}`,
        read: shared.sizes.windows,
      },
      {
        name: 'weir_purses',
        help: `Purses of keys kept in memory, of ${limits.budgetsMax}`,
        read: () => budgets.size,
      },
      {
        name: 'weir_turn_bytes',
        help: `Bytes of conversations kept in memory, of ${limits.turnBytesMax}`,
        read: () => turnCacheBackend.bytes,
      },
      {
        name: 'weir_shelf_bytes',
        help: `Bytes that modules keep in memory, of ${limits.cacheBytesMax}`,
        read: () => cacheBackend.bytes,
      },
    ],
  };
}
