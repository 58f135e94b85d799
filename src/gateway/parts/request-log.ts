import type { CallRecordings } from '../../calls/recordings/call-recordings.ts';
import type { LogReader } from '../../kernel/ports/request-log.ts';
import { conversationsRoutes } from '../../server/api/routes/conversations.ts';
import { logSettingsRoutes } from '../../server/api/routes/log-settings.ts';
import { recordingListRoute } from '../../server/api/routes/recording-list.ts';
import { requestErrorsRoute } from '../../server/api/routes/request-errors.ts';
import { requestsRoutes } from '../../server/api/routes/requests.ts';
import { requestsExportRoute } from '../../server/api/routes/requests-export.ts';
import { summaryRoutes } from '../../server/api/routes/requests-summary.ts';
import { usageTableRoutes } from '../../server/api/routes/usage-tables.ts';
import { limits as telemetryLimits } from '../../telemetry/limits.ts';
import type { Log } from '../../telemetry/log.ts';
import { LogWithHistory } from '../../telemetry/log-history/log-with-history.ts';
import { RetainedHistory } from '../../telemetry/log-history/retained-history.ts';
import { logReturn } from '../../telemetry/outage.ts';
import { AccountRetentions } from '../../telemetry/request-log/account-retentions.ts';
import { LogCleaner } from '../../telemetry/request-log/log-cleaner.ts';
import { RequestRecorder } from '../../telemetry/request-log/request-recorder.ts';
import { queueCheck } from '../checks/queues.ts';
import { createJournal } from '../create-journal.ts';
import { limits } from '../limits.ts';
import type { Part } from '../part.ts';
import type { Settings } from '../settings.ts';
import type { ProvidersPart } from './providers.ts';
import type { Stores } from './stores.ts';

interface RequestLogPart extends Part {
  readonly requests: RequestRecorder;
  readonly retentions: AccountRetentions;
}

interface RequestLogParts {
  readonly settings: Settings;
  readonly stores: Stores;
  readonly log: Log;
  readonly providers: Pick<ProvidersPart, 'catalog' | 'directory'>;
  /** Another system with the calls that the log no longer has. */
  readonly history: LogReader | undefined;
  readonly recordings: CallRecordings;
}

/** How many calls the log has at most; undefined without a limit. */
export function logRowsMaxOf({ requestLog, stores }: Pick<Settings, 'requestLog' | 'stores'>) {
  return requestLog.rowsMax ?? (stores === undefined ? telemetryLimits.requestLogEmbeddedRows : undefined);
}

/** The request log. */
export async function requestLogPart({
  settings,
  stores,
  log,
  providers,
  history,
  recordings,
}: RequestLogParts): Promise<RequestLogPart> {
  const { catalog: modelCatalog, directory: providerDirectory } = providers;
  const requests = new RequestRecorder({
    log: stores.database.requests,
    sampling: settings.requestLog.sampling,
    journal: createJournal({
      settings,
      log,
      name: 'requests',
      delayMs: settings.stores === undefined ? limits.journalDelayMs : 0,
    }),
    onError: (cause) => log.error({ err: cause }, 'could not write to the request log; will retry'),
    onRecovered: (ms) => logReturn(log, 'the request log is written again', ms),
    onDrop: () => log.error({}, 'the request log queue is full; calls are dropped from the log'),
  });
  await requests.recover();
  const retentions = new AccountRetentions({
    table: stores.database.logRetentions,
    tiers: settings.mode === 'cloud' ? settings.tierRetentions : new Map(),
    clock: stores.clock,
  });
  const cleaner = new LogCleaner({
    log: stores.database.requests,
    retentions,
    clock: stores.clock,
    retentionMs: settings.requestLog.retentionMs,
    rowsMax: logRowsMaxOf(settings),
    onError: (cause) => log.error({ err: cause }, 'could not delete expired entries of the request log'),
  });
  cleaner.start();
  const reader =
    history === undefined
      ? requests
      : new LogWithHistory({
          recent: requests,
          history: new RetainedHistory({
            history,
            retentions,
            clock: stores.clock,
          }),
          clock: stores.clock,
          retentionMs: settings.requestLog.retentionMs,
          onError: (err) => log.error({ err }, 'could not read older calls from ClickHouse'),
        });
  const pricingOf = (name: string, model: string) => {
    const provider = providerDirectory.providers.get(name);
    return provider === undefined ? undefined : modelCatalog.priced(provider, model);
  };
  return {
    requests,
    retentions,
    routes: [
      ...logSettingsRoutes({
        retentions,
        maxDays: settings.requestLog.retentionMs / 86_400_000,
      }),
      ...summaryRoutes({ log: reader, pricingOf, clock: stores.clock }),
      requestErrorsRoute({
        log: { errors: (query) => requests.errors(query), page: (query) => reader.page(query) },
        clock: stores.clock,
      }),
      recordingListRoute({
        recordings,
        flushLog: () => requests.flush(telemetryLimits.requestLogReadFlushMs),
      }),
      requestsExportRoute({ log: reader, recordings, attempts: stores.shared.rateLimiter }),
      ...requestsRoutes({
        log: reader,
        keys: stores.database.apiKeys,
        rates: (name, model) => pricingOf(name, model)?.card,
      }),
      ...usageTableRoutes({
        days: (query) => stores.database.usage.days(query),
        endUsers: (query) => requests.endUsers(query),
        clock: stores.clock,
      }),
      ...conversationsRoutes({
        log: {
          conversations: (query) => requests.conversations(query),
          conversation: (name, accountId) => requests.conversation(name, accountId),
          page: (query) => reader.page(query),
        },
        pricingOf,
      }),
    ],
    checks: [queueCheck('request log', requests)],
    gauges: [
      {
        name: 'weir_log_rows_waiting',
        help: `Calls waiting to be written to the request log, max ${telemetryLimits.requestLogBytesWaiting} bytes`,
        read: () => requests.waiting,
      },
      {
        name: 'weir_log_rows_dropped_total',
        help: 'Calls dropped from the request log',
        read: () => requests.dropped,
      },
    ],
    features: ['request-log'],
    async close(untilMs) {
      await cleaner.stop();
      if (!(await requests.flush(untilMs - performance.now())))
        log.error({}, 'some calls could not be written to the request log');
    },
  };
}
