import { Spending } from '../../billing/spending.ts';
import type { UsageRecorder } from '../../billing/usage-recorder.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Part } from '../part.ts';
import type { Stores } from './stores.ts';

interface Spent extends Part {
  readonly spending: Spending;
}

interface SpendingParts {
  readonly stores: Stores;
  readonly usage: UsageRecorder;
  readonly log: Log;
}

/** What keys may still spend. */
export function spendingPart({ stores, usage, log }: SpendingParts): Spent {
  const spending = new Spending({
    purses: stores.purses,
    clock: systemClock,
    reservations: usage.reservations,
    days: (question) => usage.days(question),
  });
  return {
    spending,
    gauges: [
      { name: 'weir_open_holds', help: 'Sums that are held for calls', read: () => spending.open },
      {
        name: 'weir_orphaned_holds',
        help: 'Sums that are held for calls that have ended: there must be none',
        read: () => spending.orphaned,
      },
    ],
    async close(untilMs) {
      if (!(await spending.close(untilMs - performance.now())))
        log.error({}, 'some costs could not be settled');
    },
  };
}
