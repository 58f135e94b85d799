import type { Budgets } from '../kernel/ports/budget.ts';
import type { CacheBackend } from '../kernel/ports/scoped-cache.ts';
import type { SharedState } from '../kernel/ports/shared-state.ts';
import { systemClock } from '../lib/clock.ts';
import { limits as storageLimits } from '../storage/limits.ts';
import { MemoryBudgets } from '../storage/memory/memory-budgets.ts';
import { MemoryCacheBackend } from '../storage/memory/memory-cache-backend.ts';
import { MemorySharedState } from '../storage/memory/memory-shared-state.ts';
import type { Gauge } from '../telemetry/process-gauges.ts';
import { limits } from './limits.ts';

/** Stores for fast, losable state: in process memory or in Redis. */
export interface EphemeralStores {
  readonly shared: SharedState;
  /** The budgets of API keys. */
  readonly budgets: Budgets;
  /** The caches of modules. */
  readonly cacheBackend: CacheBackend;
  /** Stored turns that clients continue by id. */
  readonly turnCacheBackend: CacheBackend;
  /** Deletes all counts and cached data of a deleted account. */
  erase(accountTraces: AccountTraces): Promise<void>;
  /** Metrics for operators. */
  readonly gauges: readonly Gauge[];
}

/** The names under which an account has data in these stores. */
interface AccountTraces {
  readonly accountId: string;
  /** The scopes of its caches, in both backends. */
  readonly shelves: readonly string[];
}

export interface InProcessStores extends EphemeralStores {
  readonly shared: MemorySharedState;
}

/** Stores in the memory of this process. */
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
        shared.counters.erase(name);
        shared.callRates.erase(name);
        await cacheBackend.clear(name);
        await turnCacheBackend.clear(name);
      }
    },
    gauges: [
      {
        name: 'weir_counted_accounts',
        help: `Accounts with counts and versions in memory, max ${storageLimits.countedAccountsMax}`,
        read: shared.sizes.accounts,
      },
      {
        name: 'weir_attempt_windows',
        help: `Rate limit windows in memory, max ${storageLimits.rateLimitWindowsMax}`,
        read: shared.sizes.windows,
      },
      {
        name: 'weir_module_counters',
        help: `Counts of modules in memory, max ${storageLimits.countersMax}`,
        read: shared.sizes.counters,
      },
      {
        name: 'weir_rated_callers',
        help: `Callers with rate limits in memory, max ${storageLimits.ratedCallersMax}`,
        read: shared.sizes.ratedCallers,
      },
      {
        name: 'weir_purses',
        help: `API key budgets in memory, max ${storageLimits.budgetsMax}`,
        read: () => budgets.size,
      },
      {
        name: 'weir_turn_bytes',
        help: `Bytes of stored conversation turns in memory, max ${limits.turnBytesMax}`,
        read: () => turnCacheBackend.bytes,
      },
      {
        name: 'weir_shelf_bytes',
        help: `Bytes of module caches in memory, max ${storageLimits.cacheBytesMax}`,
        read: () => cacheBackend.bytes,
      },
    ],
  };
}
