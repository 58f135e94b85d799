import type { Clock } from '../../kernel/clock.ts';
import type { Attempts, SharedState, Slots, Versions } from '../../kernel/shared-state.ts';
import { MemoryAccounts } from './memory-accounts.ts';
import { MemoryAttempts } from './memory-attempts.ts';

/** Shared state for a gateway that is one process: what it knows, everybody knows. */
export class MemorySharedState implements SharedState {
  readonly slots: Slots;
  readonly versions: Versions;
  readonly attempts: Attempts;

  constructor(clock: Clock) {
    const accounts = new MemoryAccounts(clock);
    this.slots = accounts;
    this.versions = accounts;
    this.attempts = new MemoryAttempts(clock);
  }

  async ping(): Promise<void> {}

  async close(): Promise<void> {}
}
