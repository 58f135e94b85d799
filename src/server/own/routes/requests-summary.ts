import { z } from 'zod';
import type { Clock } from '../../../kernel/clock.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import { formatUsd } from '../../../kernel/money.ts';
import type { RequestLog } from '../../../kernel/ports/request-log.ts';
import {
  type ErrorGroup,
  type Group,
  type LogSummary,
  type ModuleGroup,
  type SummaryQuestion,
  summaryOf,
} from '../../../telemetry/request-log/log-summary.ts';
import { checkedQuery } from '../checked.ts';
import { bySessionOrKey, checkedRoute } from '../checked-route.ts';
import { noBody } from '../json-body.ts';
import type { OwnRoute } from '../route.ts';
import { timestamp } from '../text.ts';

export interface SummaryParts {
  readonly log: Pick<RequestLog, 'sums'>;
  readonly clock: Clock;
}

const dayMs = 86_400_000;
const rangeMsMax = 100 * dayMs;

const wrong = 'must be a time such as 2026-11-15T12:00:00Z';
const time = z.iso
  .datetime({ offset: true, error: wrong })
  .refine((text) => text >= '2000-01-01', wrong)
  .optional();
const query = {
  from: time.describe('Calls since this time; a day before `to` where it is left out'),
  to: time.describe('Calls before this time; now where it is left out'),
};

const spread = z.object({ p50: z.number().nullable(), p95: z.number().nullable() });
const figures = {
  requests: z.int(),
  failed: z.int().describe('Of those, the ones that went wrong'),
  cached: z.int().describe('Of those, the ones that a module answered'),
  input_tokens: z.int().describe('With those that a cache of the provider was read or written for'),
  output_tokens: z.int(),
  cache_read_tokens: z.int().describe('Part of the input'),
  cache_write_tokens: z.int().describe('Part of the input'),
  cost_usd: z.string().describe('In dollars, as a decimal number'),
  saved_usd: z.string().describe('What modules saved, in dollars; less than 0 where they cost more'),
};
const content = { first_content_ms: spread.describe('Until the first content, of calls that clients made') };
const times = {
  ...content,
  overhead_ms: spread.describe('What the gateway itself added before the answer began'),
};
const summarySchema = z.object({
  from: z.iso.datetime().describe('The beginning of the first step'),
  to: z.iso.datetime(),
  step_seconds: z.number(),
  total: z.object({ ...figures, ...times }),
  spans: z.array(
    z.object({
      at: z.iso.datetime().describe('Its beginning'),
      ...figures,
      ...times,
      models: z.array(z.object({ model: z.string(), cost_usd: z.string() })),
    }),
  ),
  models: z.array(z.object({ provider: z.string().nullable(), model: z.string(), ...figures, ...content })),
  providers: z.array(z.object({ provider: z.string().nullable(), ...figures, ...content })),
  keys: z.array(z.object({ key_id: z.string().nullable(), ...figures })),
  errors: z.array(z.object({ status: z.int(), code: z.string().nullable(), count: z.int() })),
  modules: z.array(
    z.object({
      name: z.string(),
      calls: z.int(),
      saved_usd: z
        .string()
        .describe(
          'What it saved in these calls; what its own questions cost is taken off in `GET /v1/usage`',
        ),
      ms: z.number().describe('Time in the module itself, for a call on average'),
      effects: z.record(z.string(), z.int()).describe('How often it was seen to do what'),
    }),
  ),
});

/** What the request log comes to. */
export function summaryRoutes({ log, clock }: SummaryParts): readonly OwnRoute[] {
  return [
    checkedRoute({
      method: 'GET',
      path: '/v1/requests/summary',
      summary: 'What the calls of a time come to: in steps, by model, provider, key, error and module',
      tag: 'Usage',
      access: bySessionOrKey,
      query,
      body: noBody,
      answers: {
        200: { description: 'The summary', schema: summarySchema },
        400: { description: 'The query is wrong' },
        401: { description: 'No credential that holds' },
      },
      async handle({ caller, query: sent }) {
        const accountId = caller.kind === 'local' ? undefined : caller.accountId;
        const nowMs = clock.now();
        const range = rangeOf(checkedQuery(query, sent), nowMs);
        return { body: described(await summaryOf(log, { accountId, nowMs, ...range })) };
      },
    }),
  ];
}

interface Range {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

function rangeOf({ from, to }: Range, nowMs: number): Pick<SummaryQuestion, 'fromMs' | 'toMs'> {
  const toMs = to === undefined ? nowMs : Date.parse(to);
  const fromMs = from === undefined ? toMs - dayMs : Date.parse(from);
  if (fromMs < toMs && toMs - fromMs <= rangeMsMax) return { fromMs, toMs };
  throw new GatewayError('invalid_request', 'from: must be before to, and at most 100 days', {
    param: 'from',
  });
}

function described(summary: LogSummary): z.output<typeof summarySchema> {
  return {
    from: timestamp(summary.fromMs),
    to: timestamp(summary.toMs),
    step_seconds: summary.stepMs / 1000,
    total: { ...figuresOf(summary.all), ...timesOf(summary.all) },
    spans: summary.spans.map(({ atMs, group }) => ({
      at: timestamp(atMs),
      ...figuresOf(group),
      ...timesOf(group),
      models: [...group.models].map(([model, nano]) => ({ model, cost_usd: formatUsd(nano) })),
    })),
    models: [...summary.models].sort(bySpent).map(([name, group]) => {
      const [provider = '', model = ''] = name.split('\n');
      return { provider: orNull(provider), model, ...figuresOf(group), ...contentOf(group) };
    }),
    providers: [...summary.providers]
      .sort(bySpent)
      .map(([name, group]) => ({ provider: orNull(name), ...figuresOf(group), ...contentOf(group) })),
    keys: [...summary.keys].sort(bySpent).map(([id, group]) => ({ key_id: orNull(id), ...figuresOf(group) })),
    errors: [...summary.errors.values()].sort(
      (one: ErrorGroup, other: ErrorGroup) => other.count - one.count,
    ),
    modules: [...summary.modules].map(moduleOf),
  };
}

function orNull(name: string): string | null {
  return name === '' ? null : name;
}

function figuresOf(group: Group) {
  return {
    requests: group.requests,
    failed: group.failed,
    cached: group.cached,
    input_tokens: group.inputTokens + group.cacheReadTokens + group.cacheWriteTokens,
    output_tokens: group.outputTokens,
    cache_read_tokens: group.cacheReadTokens,
    cache_write_tokens: group.cacheWriteTokens,
    cost_usd: formatUsd(group.costNanoUsd),
    saved_usd: formatUsd(group.savedNanoUsd),
  };
}

function contentOf({ content: times }: Group) {
  return { first_content_ms: { p50: times.quantile(0.5), p95: times.quantile(0.95) } };
}

function timesOf(group: Group) {
  const { overhead } = group;
  return {
    ...contentOf(group),
    overhead_ms: { p50: overhead.quantile(0.5), p95: overhead.quantile(0.95) },
  };
}

function bySpent([, one]: [string, Group], [, other]: [string, Group]): number {
  return other.costNanoUsd - one.costNanoUsd || other.requests - one.requests;
}

function moduleOf([name, { calls, savedNanoUsd, ownMs, effects }]: [string, ModuleGroup]) {
  return {
    name,
    calls,
    saved_usd: formatUsd(savedNanoUsd),
    ms: Math.round((ownMs / Math.max(1, calls)) * 1000) / 1000,
    effects: Object.fromEntries(effects),
  };
}
