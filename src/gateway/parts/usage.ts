import { join } from 'node:path';
import { limits } from '../../billing/limits.ts';
import { UsageRecorder } from '../../billing/usage-recorder.ts';
import { scopeOf } from '../../kernel/caller.ts';
import { payerBudgetHolder, sandboxBudgetHolder } from '../../kernel/ports/budget.ts';
import type { Accounts } from '../../kernel/ports/identities.ts';
import { usageTagsRoute } from '../../server/api/routes/usage-tags.ts';
import { inMemoryDataDir } from '../../storage/settings.ts';
import type { Log } from '../../telemetry/log.ts';
import { logReturn } from '../../telemetry/outage.ts';
import { queueCheck } from '../checks/queues.ts';
import type { Part } from '../part.ts';
import type { Settings } from '../settings.ts';
import type { CreditUseListener } from './billing.ts';
import type { Stores } from './stores.ts';

interface UsagePart extends Part {
  readonly usage: UsageRecorder;
}

interface UsageParts {
  readonly settings: Settings;
  readonly stores: Stores;
  readonly log: Log;
  readonly creditUse: CreditUseListener;
}

/** Usage of calls. */
export async function usagePart({
  settings,
  stores,
  log,
  creditUse: creditUseListener,
}: UsageParts): Promise<UsagePart> {
  const hasFolder = settings.stores !== undefined || settings.dataDir !== inMemoryDataDir;
  const usage = new UsageRecorder({
    usageStore: stores.database.usage,
    clock: stores.clock,
    onCreditsSpent: (accountIds) => creditUseListener.onUse(accountIds),
    onError: (cause) => log.error({ err: cause }, 'could not store usage; will retry'),
    onRecovered: (ms) => logReturn(log, 'usage is stored again', ms),
    onUnreserved: (cause) =>
      log.error(
        { err: cause },
        'could not reserve calls in the database; calls continue without reservation',
      ),
    journal: hasFolder ? journalOptions(settings, log) : undefined,
  });
  await usage.recover((accountId) => isErased(stores.database.accounts, accountId));
  return {
    usage,
    routes: [usageTagsRoute({ tags: (query) => usage.tags(query), clock: stores.clock })],
    gauges: [
      {
        name: 'weir_usage_sums_waiting',
        help: `Usage records waiting to be stored, max ${limits.usageSumsMax}`,
        read: () => usage.waiting,
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
    checks: [queueCheck('usage', usage)],
    features: ['usage'],
    async close(untilMs) {
      if (!(await usage.flush(untilMs - performance.now()))) log.error({}, 'some usage could not be stored');
      await usage.close();
    },
  };
}

function journalOptions({ dataDir }: Settings, log: Log) {
  return {
    folder: join(dataDir, 'usage-journal'),
    onError: (cause: unknown) =>
      log.error(
        { err: cause },
        'could not write the usage journal; a crash would lose usage that is not stored yet',
      ),
    onRecoveryError: (cause: unknown) =>
      log.error({ err: cause }, 'could not recover the usage of a killed process'),
  };
}

const sharedAccountIds = [
  scopeOf({ kind: 'local' }),
  sandboxBudgetHolder.accountId,
  payerBudgetHolder.accountId,
];

async function isErased(accounts: Pick<Accounts, 'byId'>, accountId: string): Promise<boolean> {
  return !sharedAccountIds.includes(accountId) && (await accounts.byId(accountId)) === undefined;
}
