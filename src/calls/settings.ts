import { z } from 'zod';
import { limits } from '../kernel/limits.ts';
import { recordingModes } from '../kernel/ports/recordings.ts';
import { tagNames } from '../kernel/tag-names.ts';
import type { JsonObject } from '../lib/json.ts';
import { commaSeparatedList } from '../lib/setting-schemas.ts';
import { combineSettings, envVariable } from '../lib/settings.ts';
import { readConfigurations } from './instance-configurations.ts';
import {
  InstanceLimits,
  keyLimits,
  keyLimitsSchema,
  tierLimits,
  tierLimitsSchema,
} from './instance-limits.ts';

const byteCount = z.coerce.number('must be a number of bytes').pipe(
  z
    .int()
    .min(0)
    .max(1024 ** 4),
);

const rateLimit = z.coerce
  .number('must be a whole number')
  .int('must be a whole number')
  .min(1)
  .max(limits.rateLimitMax);

export const callSettings = {
  pipeline: envVariable('WEIR_PIPELINE', z.string().max(limits.pipelineTextMax).optional(), 'pipeline'),
  /** Named configurations of modules, as JSON or in a file; checked when the modules are loaded. */
  configurations: envVariable(
    'WEIR_CONFIGURATIONS',
    z.string().min(1).transform(loadConfigurations).optional(),
    { at: 'configurations', form: 'document' },
  ),
  /** Names that stand for several models. */
  aliases: envVariable('WEIR_ALIASES', z.string().min(1).transform(loadConfigurations).optional(), {
    at: 'aliases',
    form: 'document',
  }),
  /** Rules of guardrails. */
  rules: envVariable('WEIR_GUARDRAILS_RULES', z.string().min(1).transform(loadConfigurations).optional(), {
    at: 'guardrails.rules',
    form: 'document',
  }),
  /** Pipelines by name, whose modules have structured options. */
  pipelines: envVariable('WEIR_PIPELINES', z.string().min(1).transform(loadConfigurations).optional(), {
    at: 'pipelines',
    form: 'document',
  }),
  /** Batches that the gateway runs itself. */
  batchCallsAtOnce: envVariable(
    'WEIR_BATCH_CALLS_AT_ONCE',
    z.coerce.number('must be a whole number').pipe(z.int().min(1).max(1000)).default(8),
    'batches.calls_at_once',
  ),
  batchCallsPerMinute: envVariable(
    'WEIR_BATCH_CALLS_PER_MINUTE',
    rateLimit.optional(),
    'batches.calls_per_minute',
  ),
  batchFileBytes: envVariable(
    'WEIR_BATCH_FILE_BYTES',
    byteCount.default(100 * 1024 ** 2),
    'batches.file_bytes',
  ),
  batchAccountBytes: envVariable(
    'WEIR_BATCH_ACCOUNT_BYTES',
    byteCount.default(1024 ** 3),
    'batches.account_bytes',
  ),
  batchDays: envVariable(
    'WEIR_BATCH_DAYS',
    z.coerce.number('must be a number of days').pipe(z.int().min(1).max(366)).default(30),
    'batches.days',
  ),
  /** Packages that provide modules. */
  modulePackages: envVariable('WEIR_MODULES', commaSeparatedList.default([]), {
    at: 'modules.packages',
    form: 'list',
  }),
  /** Names in the metadata of requests that are tags of calls. */
  tagsFromMetadata: envVariable('WEIR_TAGS_FROM_METADATA', tagNames.default([]), {
    at: 'tags.from_metadata',
    form: 'list',
  }),
  /** Rate limits of API keys. */
  callLimits: combineSettings(
    {
      requestsPerMinute: envVariable(
        'WEIR_LIMIT_REQUESTS_PER_MINUTE',
        rateLimit.optional(),
        'limits.requests_per_minute',
      ),
      tokensPerMinute: envVariable(
        'WEIR_LIMIT_TOKENS_PER_MINUTE',
        rateLimit.optional(),
        'limits.tokens_per_minute',
      ),
      concurrent: envVariable('WEIR_LIMIT_CONCURRENT', rateLimit.optional(), 'limits.concurrent'),
      byTier: envVariable('WEIR_LIMITS_BY_TIER', tierLimits.optional(), {
        at: 'limits.tiers',
        form: 'document',
        document: tierLimitsSchema,
      }),
      byKey: envVariable('WEIR_LIMITS_BY_KEY', keyLimits.optional(), {
        at: 'limits.keys',
        form: 'document',
        document: keyLimitsSchema,
      }),
    },
    ({ byTier, byKey, ...all }): InstanceLimits =>
      new InstanceLimits({
        all: Object.values(all).some((limit) => limit !== undefined) ? all : undefined,
        byTier,
        byKey,
      }),
  ),
  /** Size limit of the archive of one account. */
  archiveBytes: envVariable(
    'WEIR_ARCHIVE_BYTES',
    byteCount.default(64 * 1024 * 1024),
    'storage.archive_bytes',
  ),
  /** Which calls are recorded, for how long, and how many bytes of them are kept. */
  recordings: combineSettings(
    {
      mode: envVariable(
        'WEIR_RECORD',
        z.enum(recordingModes, 'must be off, sample or all').optional(),
        'recordings.mode',
      ),
      sampleRate: envVariable(
        'WEIR_RECORD_SAMPLE',
        z.coerce.number('must be a number from 0 to 1').min(0).max(1).default(0.01),
        'recordings.sample',
      ),
      days: envVariable(
        'WEIR_RECORD_DAYS',
        z.coerce.number('must be a number of days').int().min(0).max(3650).default(30),
        'recordings.days',
      ),
      accountBytesMax: envVariable(
        'WEIR_RECORD_BYTES',
        byteCount.default(64 * 1024 * 1024),
        'recordings.account_bytes',
      ),
      totalBytesMax: envVariable(
        'WEIR_RECORD_TOTAL_BYTES',
        byteCount.default(1024 ** 3),
        'recordings.total_bytes',
      ),
    },
    ({ days, ...chosen }) => ({ ...chosen, retentionMs: days * 86_400_000 }),
  ),
} as const;

function loadConfigurations(setting: string, context: z.RefinementCtx): JsonObject {
  try {
    return readConfigurations(setting);
  } catch (thrown) {
    context.addIssue(thrown instanceof Error ? thrown.message : String(thrown));
    return z.NEVER;
  }
}
