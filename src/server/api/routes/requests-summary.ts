import { z } from 'zod';
import { GatewayError } from '../../../kernel/errors.ts';
import { formatUsd } from '../../../kernel/money.ts';
import type { RequestLog } from '../../../kernel/ports/request-log.ts';
import type { Clock } from '../../../lib/clock.ts';
import { CacheMisses } from '../../../telemetry/request-log/cache-misses.ts';
import type { PricingOf } from '../../../telemetry/request-log/conversation-turns.ts';
import {
  type CallGroup,
  type LogSummary,
  type ModuleGroup,
  type SummaryQuery,
  summarizeLog,
} from '../../../telemetry/request-log/log-summary.ts';
import { bySessionOrKey, defineRoute } from '../define-route.ts';
import { noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import { timestamp } from '../text.ts';
import { parseQuery } from '../validation.ts';

export interface SummaryParts {
  readonly log: Pick<RequestLog, 'sums'>;
  readonly pricingOf: PricingOf;
  readonly clock: Clock;
}

const dayMs = 86_400_000;
const rangeMsMax = 100 * dayMs;

const invalidTime = 'must be a time such as 2026-11-15T12:00:00Z';
const time = z.iso
  .datetime({ offset: true, error: invalidTime })
  .refine((text) => text >= '2000-01-01', invalidTime)
  .optional();
const query = {
  from: time.describe('Calls since this time; by default a day before `to`'),
  to: time.describe('Calls before this time; by default now'),
};

const spread = z.object({ p50: z.number().nullable(), p95: z.number().nullable() });
const figures = {
  requests: z.int(),
  failed: z.int().describe('Failed calls'),
  cached: z.int().describe('Calls answered by a module'),
  input_tokens: z.int().describe("Includes tokens read from or written to the provider's cache"),
  output_tokens: z.int(),
  cache_read_tokens: z.int().describe('Part of the input'),
  cache_write_tokens: z.int().describe('Part of the input'),
  cost_usd: z.string().describe('In US dollars, as a decimal number'),
  saved_usd: z.string().describe('Savings by modules in US dollars; negative if they cost more'),
};
const content = { first_content_ms: spread.describe('Time to the first content, for calls by clients') };
const times = {
  ...content,
  overhead_ms: spread.describe('Time that the gateway added before the response began'),
};
const misses = {
  cache_miss_usd: z
    .string()
    .describe(
      "What input that providers did not read from their caches cost beyond the price of reading it from there, at today's prices: the most that caches could still have saved. Without models whose price is unknown",
    ),
};
/** Why calls failed, and how many. */
export const causeSchema = z.object({
  status: z.int(),
  code: z.string().nullable(),
  provider: z.string().nullable().describe("The provider whose error it is; null if it is Weir's"),
  provider_error: z.string().nullable().describe('What the provider calls it'),
  count: z.int(),
});
const summarySchema = z.object({
  from: z.iso.datetime().describe('The start of the first interval'),
  to: z.iso.datetime(),
  step_seconds: z.number(),
  total: z.object({ ...figures, ...misses, ...times }),
  spans: z.array(
    z.object({
      at: z.iso.datetime().describe('The start of the interval'),
      ...figures,
      ...misses,
      ...times,
      models: z.array(z.object({ model: z.string(), cost_usd: z.string(), ...misses })),
    }),
  ),
  models: z.array(
    z.object({ provider: z.string().nullable(), model: z.string(), ...figures, ...misses, ...content }),
  ),
  providers: z.array(z.object({ provider: z.string().nullable(), ...figures, ...content })),
  keys: z.array(z.object({ key_id: z.string().nullable(), ...figures })),
  errors: z.array(causeSchema),
  modules: z.array(
    z.object({
      name: z.string(),
      calls: z.int(),
      saved_usd: z
        .string()
        .describe('Savings in these calls; `GET /v1/usage` subtracts the cost of its own calls'),
      own_ms: z
        .object({ ...spread.shape, mean: z.number() })
        .describe(
          'Time in the module per call; percentiles are null for calls that an earlier version logged',
        ),
      effects: z.record(z.string(), z.int()).describe('Number of calls by effect'),
    }),
  ),
});

export function summaryRoutes({ log, pricingOf, clock }: SummaryParts): readonly ApiRoute[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/requests/summary',
      summary: 'Summarize calls over time and by model, provider, key, error and module',
      tag: 'Usage',
      access: bySessionOrKey('calls'),
      query,
      body: noBody,
      responses: {
        200: { description: 'The summary', schema: summarySchema },
        400: { description: 'A query parameter is invalid' },
        401: { description: 'Missing or invalid credential' },
      },
      async handle({ caller, query: sent }) {
        const accountId = caller.kind === 'local' ? undefined : caller.accountId;
        const nowMs = clock.now();
        const { from, to } = parseQuery(query, sent);
        const range = summaryRange({ fromMs: msOf(from), toMs: msOf(to) }, nowMs);
        const summary = await summarizeLog(log, { accountId, nowMs, ...range });
        return { body: describeSummary(summary, new CacheMisses(summary, pricingOf)) };
      },
    }),
  ];
}

interface TimeRange {
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

/** The last day by default. */
export function summaryRange(given: TimeRange, nowMs: number): Pick<SummaryQuery, 'fromMs' | 'toMs'> {
  const { toMs = nowMs } = given;
  const { fromMs = toMs - dayMs } = given;
  if (fromMs < toMs && toMs - fromMs <= rangeMsMax) return { fromMs, toMs };
  throw new GatewayError(
    'invalid_request',
    'from: must be before to, and the range must not exceed 100 days',
    {
      param: 'from',
    },
  );
}

function msOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}

function describeSummary(summary: LogSummary, cacheMisses: CacheMisses): z.output<typeof summarySchema> {
  return {
    from: timestamp(summary.fromMs),
    to: timestamp(summary.toMs),
    step_seconds: summary.stepMs / 1000,
    total: {
      ...figuresOf(summary.all),
      cache_miss_usd: formatUsd(cacheMisses.total),
      ...timesOf(summary.all),
    },
    spans: summary.spans.map(({ atMs, group: callGroup }) => ({
      at: timestamp(atMs),
      ...figuresOf(callGroup),
      ...missesOf(callGroup, cacheMisses),
      ...timesOf(callGroup),
    })),
    models: [...summary.models].sort(byCostDescending).map(([name, callGroup]) => {
      const [provider = '', model = ''] = name.split('\n');
      return {
        provider: emptyToNull(provider),
        model,
        ...figuresOf(callGroup),
        cache_miss_usd: formatUsd(cacheMisses.ofModel(name, callGroup)),
        ...contentTimesOf(callGroup),
      };
    }),
    providers: [...summary.providers].sort(byCostDescending).map(([name, callGroup]) => ({
      provider: emptyToNull(name),
      ...figuresOf(callGroup),
      ...contentTimesOf(callGroup),
    })),
    keys: [...summary.keys]
      .sort(byCostDescending)
      .map(([id, callGroup]) => ({ key_id: emptyToNull(id), ...figuresOf(callGroup) })),
    errors: [...summary.errors.values()]
      .sort((one, other) => other.count - one.count)
      .map(({ providerError, ...error }) => ({ ...error, provider_error: providerError })),
    modules: [...summary.modules].map(describeModuleGroup),
  };
}

function emptyToNull(name: string): string | null {
  return name === '' ? null : name;
}

function figuresOf(callGroup: CallGroup) {
  return {
    requests: callGroup.requests,
    failed: callGroup.failed,
    cached: callGroup.cached,
    input_tokens: callGroup.inputTokens + callGroup.cacheReadTokens + callGroup.cacheWriteTokens,
    output_tokens: callGroup.outputTokens,
    cache_read_tokens: callGroup.cacheReadTokens,
    cache_write_tokens: callGroup.cacheWriteTokens,
    cost_usd: formatUsd(callGroup.costNanoUsd),
    saved_usd: formatUsd(callGroup.savedNanoUsd),
  };
}

function missesOf({ models }: CallGroup, cacheMisses: CacheMisses) {
  const byModel = [...models].map(([model, { costNanoUsd, input }]) => ({
    ...{ model, costNanoUsd, missNanoUsd: cacheMisses.ofInput(model, input) },
  }));
  return {
    cache_miss_usd: formatUsd(byModel.reduce((sum, { missNanoUsd }) => sum + missNanoUsd, 0)),
    models: byModel.map(({ model, costNanoUsd, missNanoUsd }) => ({
      model,
      cost_usd: formatUsd(costNanoUsd),
      cache_miss_usd: formatUsd(missNanoUsd),
    })),
  };
}

function contentTimesOf({ content: latencyHistogram }: CallGroup) {
  return { first_content_ms: { p50: latencyHistogram.quantile(0.5), p95: latencyHistogram.quantile(0.95) } };
}

function timesOf(callGroup: CallGroup) {
  const { overhead } = callGroup;
  return {
    ...contentTimesOf(callGroup),
    overhead_ms: { p50: overhead.quantile(0.5), p95: overhead.quantile(0.95) },
  };
}

function byCostDescending([, one]: [string, CallGroup], [, other]: [string, CallGroup]): number {
  return other.costNanoUsd - one.costNanoUsd || other.requests - one.requests;
}

function describeModuleGroup([name, { calls, savedNanoUsd, ownMs, times, effects }]: [string, ModuleGroup]) {
  return {
    name,
    calls,
    saved_usd: formatUsd(savedNanoUsd),
    own_ms: {
      p50: times.quantile(0.5),
      p95: times.quantile(0.95),
      mean: Math.round((ownMs / Math.max(1, calls)) * 1000) / 1000,
    },
    effects: Object.fromEntries(effects),
  };
}
