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

/** Ends reservations whose time is over. */
export function expiredReservations(parts: ExpiredReservationsParts): PeriodicTask {
  const { usageStore, forgetCount, clock, onError } = parts;
  return new PeriodicTask({
    intervalMs: limits.reservationSweepMs,
    async run() {
      for (const holder of await usageStore.endReservations(clock.now())) await forgetCount(holder);
    },
    onError,
  });
}
