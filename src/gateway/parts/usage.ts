import { limits } from '../../billing/limits.ts';
import { UsageRecorder } from '../../billing/usage-recorder.ts';
import { systemClock } from '../../lib/clock.ts';
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

/** Usage of calls. */
export function usagePart({ stores, log, creditUse: creditUseListener }: UsageParts): UsagePart {
  const usage = new UsageRecorder({
    usageStore: stores.database.usage,
    clock: systemClock,
    onCreditsSpent: (accountIds) => creditUseListener.onUse(accountIds),
    onError: (cause) => log.error({ err: cause }, 'could not store usage; will retry'),
    onUnreserved: (cause) =>
      log.error(
        { err: cause },
        'could not reserve calls in the database; calls continue without reservation',
      ),
  });
  return {
    usage,
    gauges: [
      {
        name: 'weir_usage_sums_waiting',
        help: `Usage records waiting to be stored, max ${limits.usageSumsMax}`,
        read: () => usage.waitingSums,
      },
      {
        name: 'weir_usage_failed_rounds',
        help: 'Consecutive failures to store usage',
        read: () => usage.failedRounds,
      },
      {
        name: 'weir_unreserved',
        help: 'Whether calls continue without reservation because the database is unreachable',
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
