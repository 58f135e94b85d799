import type { Clock } from '../../kernel/clock.ts';
import type { Attempts, SharedState, Versions } from '../../kernel/ports/shared-state.ts';
import { MemoryAccounts } from './memory-accounts.ts';
import { MemoryAttempts } from './memory-attempts.ts';

/** Shared state for a gateway that is one process: what it knows, everybody knows. */
export class MemorySharedState implements SharedState {
  readonly slots: MemoryAccounts;
  readonly versions: Versions;
  readonly attempts: Attempts;
  /** Forgets an account. */
  readonly erase: (accountId: string) => void;
  /** What it holds. */
  readonly sizes: { readonly accounts: () => number; readonly windows: () => number };

  constructor(clock: Clock) {
    const accounts = new MemoryAccounts(clock);
    const attempts = new MemoryAttempts(clock);
    this.slots = accounts;
    this.versions = accounts;
    this.attempts = attempts;
    this.erase = (accountId) => accounts.erase(accountId);
    this.sizes = { accounts: () => accounts.size, windows: () => attempts.size };
  }

  async ping(): Promise<void> {}

  async close(): Promise<void> {}
}
