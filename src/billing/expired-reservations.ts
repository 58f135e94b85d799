import type { BudgetHolder } from '../kernel/ports/budget.ts';
import type { UsageStore } from '../kernel/ports/records.ts';
import type { Clock } from '../lib/clock.ts';
import { PeriodicTask } from '../lib/periodic-task.ts';
import { limits } from './limits.ts';

interface ExpiredReservationsParts {
  readonly usageStore: Pick<UsageStore, 'endReservations'>;
  /** Has the budget of a holder counted anew. */
  forgetCount(holder: BudgetHolder): Promise<void>;
  readonly clock: Clock;
  onError(error: unknown): void;
}

/** Ends reservations whose time is over, at the start and every few minutes. */
export class ExpiredReservations {
  readonly #parts: ExpiredReservationsParts;
  readonly #rounds: PeriodicTask;

  constructor(parts: ExpiredReservationsParts) {
    this.#parts = parts;
    this.#rounds = new PeriodicTask({
      intervalMs: limits.reservationSweepMs,
      run: () => this.#endExpired(),
      onError: parts.onError,
    });
    this.#rounds.start();
    this.#rounds.trigger();
  }

  close(): Promise<void> {
    return this.#rounds.stop();
  }

  async #endExpired(): Promise<void> {
    const { usageStore, forgetCount, clock } = this.#parts;
    for (const holder of await usageStore.endReservations(clock.now())) await forgetCount(holder);
  }
}
