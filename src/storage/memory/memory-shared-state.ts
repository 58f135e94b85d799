import type { Clock } from '../../kernel/clock.ts';
import type { RateLimiter, SharedState, Versions } from '../../kernel/ports/shared-state.ts';
import { MemoryAccountState } from './memory-account-state.ts';
import { MemoryRateLimiter } from './memory-rate-limiter.ts';

/** Shared state for a gateway that is one process: what it knows, everybody knows. */
export class MemorySharedState implements SharedState {
  readonly slots: MemoryAccountState;
  readonly versions: Versions;
  readonly rateLimiter: RateLimiter;
  /** Forgets an account. */
  readonly erase: (accountId: string) => void;
  /** What it holds. */
  readonly sizes: { readonly accounts: () => number; readonly windows: () => number };

  constructor(clock: Clock) {
    const accounts = new MemoryAccountState(clock);
    const attempts = new MemoryRateLimiter(clock);
    this.slots = accounts;
    this.versions = accounts;
    this.rateLimiter = attempts;
    this.erase = (accountId) => accounts.erase(accountId);
    this.sizes = { accounts: () => accounts.size, windows: () => attempts.size };
  }

  async ping(): Promise<void> {}

  async close(): Promise<void> {}
}
