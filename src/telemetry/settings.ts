import { z } from 'zod';
import type { TierRetentions } from '../kernel/ports/log-retentions.ts';
import { tagNames } from '../kernel/tag-names.ts';
import { httpUrl, jsonText, secretText } from '../lib/setting-schemas.ts';
import { combineSettings, envVariable } from '../lib/settings.ts';
import { logLevels } from './log.ts';
import { otlpSettings } from './otlp/settings.ts';

const retentionDays = z
  .int('must be a whole number of days')
  .min(1, 'must be at least 1')
  .max(3650, 'must be at most 3650')
  .optional();
const tierRetention = z.strictObject({ log_days: retentionDays, recording_days: retentionDays }).optional();
const tierRetentionsSchema = z.strictObject({
  free: tierRetention,
  pro: tierRetention,
  team: tierRetention,
});
const tierRetentions = jsonText(tierRetentionsSchema)
  .default({})
  .transform(
    (tiers): TierRetentions =>
      new Map(
        Object.entries(tiers).map(([tier, { log_days: logDays, recording_days: recordingDays } = {}]) => [
          tier,
          { logDays, recordingDays },
        ]),
      ),
  );

/** Settings of logs and metrics. */
export const telemetrySettings = {
  logLevel: envVariable(
    'WEIR_LOG_LEVEL',
    z.enum(logLevels, 'must be debug, info, warn, error or silent').default('info'),
    'log.level',
  ),
  /** The log file instead of standard output. */
  logFile: envVariable('WEIR_LOG_FILE', z.string().min(1).optional(), 'log.file'),
  /** Whether the request log is on, and how long, how many and which calls it retains. */
  requestLog: combineSettings(
    {
      days: envVariable(
        'WEIR_LOG_DAYS',
        z.coerce.number('must be a number of days').int().min(0).max(3650).default(30),
        'request_log.days',
      ),
      rowsMax: envVariable(
        'WEIR_LOG_ROWS',
        z.coerce.number('must be a number of calls').int().min(1000).optional(),
        'request_log.rows',
      ),
      share: envVariable(
        'WEIR_LOG_SAMPLE',
        z.coerce.number('must be a number from 0 to 1').min(0).max(1).default(1),
        'request_log.sample',
      ),
      keptUsd: envVariable(
        'WEIR_LOG_SAMPLE_USD',
        z.coerce.number('must be an amount in dollars').min(0).max(1000).default(0.1),
        'request_log.sample_usd',
      ),
    },
    ({ days, rowsMax, share, keptUsd }) => ({
      isOn: days > 0,
      retentionMs: days * 86_400_000,
      rowsMax,
      sampling: { share, keptNanoUsd: Math.round(keptUsd * 1e9) },
    }),
  ),
  /** How long calls and recordings of accounts of a tier are kept, if that is shorter than for all. */
  tierRetentions: envVariable('WEIR_RETENTION_BY_TIER', tierRetentions, {
    at: 'retention.tiers',
    form: 'document',
    document: tierRetentionsSchema,
  }),
  /** How long entries of the audit log are kept; undefined for ever. */
  auditRetentionMs: combineSettings(
    {
      days: envVariable(
        'WEIR_AUDIT_DAYS',
        z.coerce.number('must be a number of days').int().min(0).max(3650).default(365),
        'audit.days',
      ),
    },
    ({ days }) => (days === 0 ? undefined : days * 86_400_000),
  ),
  /** The shortest time for which an account can choose to keep its audit log. */
  auditDaysMin: envVariable(
    'WEIR_AUDIT_DAYS_MIN',
    z.coerce.number('must be a number of days').int().min(1).max(3650).default(90),
    'audit.days_min',
  ),
  /** Other systems that get every call. */
  clickHouse: combineSettings(
    {
      url: envVariable('WEIR_LOG_CLICKHOUSE_URL', httpUrl.optional(), 'request_log.clickhouse.url'),
      key: envVariable('WEIR_LOG_CLICKHOUSE_KEY', secretText.optional(), {
        at: 'request_log.clickhouse.key',
        isSecret: true,
      }),
      table: envVariable(
        'WEIR_LOG_CLICKHOUSE_TABLE',
        z
          .string()
          .regex(/^\w+(\.\w+)?$/, 'must be the name of a table, such as weir_requests or logs.weir_requests')
          .default('weir_requests'),
        'request_log.clickhouse.table',
      ),
      /** Whether lists and summaries continue there where the request log ends. */
      history: envVariable(
        'WEIR_LOG_CLICKHOUSE_HISTORY',
        z.enum(['on', 'off'], 'must be on or off').default('off'),
        'request_log.clickhouse.history',
      ),
    },
    ({ url, history, ...others }) =>
      url === undefined ? undefined : { url, isHistory: history === 'on', ...others },
  ),
  s3: combineSettings(
    {
      url: envVariable('WEIR_LOG_S3_URL', httpUrl.optional(), 'request_log.s3.url'),
      key: envVariable('WEIR_LOG_S3_KEY', secretText.optional(), {
        at: 'request_log.s3.key',
        isSecret: true,
      }),
      region: envVariable(
        'WEIR_LOG_S3_REGION',
        z.string().min(1).default('us-east-1'),
        'request_log.s3.region',
      ),
    },
    ({ url, ...others }) => (url === undefined ? undefined : { url, ...others }),
  ),
  logFolder: combineSettings(
    {
      folder: envVariable('WEIR_LOG_FOLDER', z.string().min(1).optional(), 'request_log.folder.path'),
      megabytes: envVariable(
        'WEIR_LOG_FOLDER_MB',
        z.coerce.number('must be a number of megabytes').int().min(1).max(10_000).default(100),
        'request_log.folder.megabytes',
      ),
      hours: envVariable(
        'WEIR_LOG_FOLDER_HOURS',
        z.coerce.number('must be a number of hours').int().min(1).max(720).default(24),
        'request_log.folder.hours',
      ),
      filesMax: envVariable(
        'WEIR_LOG_FOLDER_FILES',
        z.coerce.number('must be a number of files').int().min(1).max(10_000).default(30),
        'request_log.folder.files',
      ),
    },
    ({ folder, megabytes, hours, filesMax }) =>
      folder === undefined
        ? undefined
        : { folder, fileBytesMax: megabytes * 1_000_000, fileMsMax: hours * 3_600_000, filesMax },
  ),
  /** The export of traces and metrics. */
  otlp: otlpSettings,
  /** Tags that have metrics of their own. */
  metricTags: envVariable('WEIR_METRIC_TAGS', tagNames.default([]), { at: 'metrics.tags', form: 'list' }),
  metricsToken: envVariable('WEIR_METRICS_TOKEN', secretText.optional(), {
    at: 'metrics.token',
    isSecret: true,
  }),
} as const;
