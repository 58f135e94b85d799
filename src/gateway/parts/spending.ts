import { expiredReservations } from '../../billing/expired-reservations.ts';
import { SpendingLimiter } from '../../billing/spending-limiter.ts';
import type { UsageRecorder } from '../../billing/usage-recorder.ts';
import type { SpendingListener } from '../../kernel/ports/budget.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Part } from '../part.ts';
import type { Stores } from './stores.ts';

interface SpendingPart extends Part {
  readonly spending: SpendingLimiter;
}

interface SpendingParts {
  readonly stores: Stores;
  readonly usage: UsageRecorder;
  readonly log: Log;
  readonly listener: SpendingListener;
}

/** Budgets of API keys. */
export function spendingPart({ stores, usage, log, listener }: SpendingParts): SpendingPart {
  const spendingLimiter = new SpendingLimiter({
    budgets: stores.budgets,
    clock: stores.clock,
    reservations: usage.reservations,
    days: (question) => usage.days(question),
    tags: (question) => usage.tags(question),
    budgetHours: (question) => usage.budgetHours(question),
    listener,
  });
  const expired = expiredReservations({
    usageStore: stores.database.usage,
    forgetCount: (holder) => spendingLimiter.forgetCount(holder),
    clock: stores.clock,
    onError: (err) => log.error({ err }, 'expired reservations could not be ended; will retry'),
  });
  expired.start();
  expired.trigger();
  return {
    spending: spendingLimiter,
    gauges: [
      {
        name: 'weir_open_holds',
        help: 'Open budget holds',
        read: () => spendingLimiter.openHolds,
      },
      {
        name: 'weir_orphaned_holds',
        help: 'Budget holds of calls that have ended; must be 0',
        read: () => spendingLimiter.orphanedHolds,
      },
    ],
    async close(untilMs) {
      await expired.stop();
      if (!(await spendingLimiter.close(untilMs - performance.now())))
        log.error({}, 'some costs could not be settled');
    },
  };
}
