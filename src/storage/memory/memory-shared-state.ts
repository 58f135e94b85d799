import type { RateLimiter, SharedState, Versions } from '../../kernel/ports/shared-state.ts';
import type { Clock } from '../../lib/clock.ts';
import { MemoryAccountState } from './memory-account-state.ts';
import { MemoryCallRates } from './memory-call-rates.ts';
import { MemoryCounters } from './memory-counters.ts';
import { MemoryHealthBoard } from './memory-health-board.ts';
import { MemoryRateLimiter } from './memory-rate-limiter.ts';

/** Shared state for a gateway that runs as one process. */
export class MemorySharedState implements SharedState {
  readonly slots: MemoryAccountState;
  readonly versions: Versions;
  readonly rateLimiter: RateLimiter;
  readonly health: MemoryHealthBoard;
  readonly counters: MemoryCounters;
  readonly callRates: MemoryCallRates;
  /** Deletes the state of an account. */
  readonly erase: (accountId: string) => void;
  /** The number of entries in memory. */
  readonly sizes: {
    readonly accounts: () => number;
    readonly windows: () => number;
    readonly counters: () => number;
    readonly ratedCallers: () => number;
  };

  constructor(clock: Clock) {
    const accounts = new MemoryAccountState(clock);
    const rateLimiter = new MemoryRateLimiter(clock);
    this.slots = accounts;
    this.versions = accounts;
    this.rateLimiter = rateLimiter;
    this.health = new MemoryHealthBoard(clock);
    this.counters = new MemoryCounters(clock);
    this.callRates = new MemoryCallRates(clock);
    this.erase = (accountId) => accounts.erase(accountId);
    this.sizes = {
      accounts: () => accounts.size,
      windows: () => rateLimiter.size,
      counters: () => this.counters.size,
      ratedCallers: () => this.callRates.size,
    };
  }

  async ping(): Promise<void> {}

  async close(): Promise<void> {}
}
