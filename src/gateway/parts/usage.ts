import { UsageRecorder } from '../../billing/usage-recorder.ts';
import { systemClock } from '../../kernel/clock.ts';
import { limits } from '../../kernel/limits.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Part } from '../part.ts';
import type { CreditUseListener } from './billing.ts';
import type { Stores } from './stores.ts';

interface UsagePart extends Part {
  readonly usage: UsageRecorder;
}

interface UsageParts {
  readonly stores: Stores;
  readonly log: Log;
  readonly creditUse: CreditUseListener;
}

/** What calls have used. */
export function usagePart({ stores, log, creditUse: creditUseListener }: UsageParts): UsagePart {
  const usage = new UsageRecorder({
    usageStore: stores.database.usage,
    clock: systemClock,
    onCreditsSpent: (accountIds) => creditUseListener.onUse(accountIds),
    onError: (cause) => log.error({ err: cause }, 'usage is not stored yet'),
    onUnreserved: (cause) => log.error({ err: cause }, 'calls go on that are not reserved in the database'),
  });
  return {
    usage,
    gauges: [
      {
        name: 'weir_usage_sums_waiting',
        help: `Sums of usage that are not stored yet, of ${limits.usageSumsMax}`,
        read: () => usage.waitingSums,
      },
      {
        name: 'weir_usage_failed_rounds',
        help: 'Tries to store usage that failed since the last that did not',
        read: () => usage.failedRounds,
      },
      {
        name: 'weir_unreserved',
        help: 'Whether calls go on that are not reserved in the database, because it is away',
        read: () => Number(usage.reservations.isUnavailable),
      },
    ],
    features: ['usage'],
    async close(untilMs) {
      if (!(await usage.flush(untilMs - performance.now()))) log.error({}, 'some usage could not be stored');
      await usage.reservations.close();
    },
  };
}
