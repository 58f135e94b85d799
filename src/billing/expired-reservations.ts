import type { BudgetHolder } from '../kernel/ports/budget.ts';
import type { UsageStore } from '../kernel/ports/records.ts';
import type { Clock } from '../lib/clock.ts';
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
  readonly #timer: NodeJS.Timeout;
  #running: Promise<void> | undefined;

  constructor(parts: ExpiredReservationsParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => this.#end(), limits.reservationSweepMs).unref();
    this.#end();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  #end(): void {
    this.#running ??= this.#endExpired()
      .catch(this.#parts.onError)
      .finally(() => {
        this.#running = undefined;
      });
  }

  async #endExpired(): Promise<void> {
    const { usageStore, forgetCount, clock } = this.#parts;
    for (const holder of await usageStore.endReservations(clock.now())) await forgetCount(holder);
  }
}
