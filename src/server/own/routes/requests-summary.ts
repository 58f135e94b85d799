import { z } from 'zod';
import type { Clock } from '../../../kernel/clock.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import { limits } from '../../../kernel/limits.ts';
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
  readonly log: Pick<RequestLog, 'page'>;
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
  cost_usd: z.string().describe('In dollars, as a decimal number'),
  saved_usd: z.string().describe('What caches saved, in dollars'),
  first_content_ms: spread.describe('Until the first content, of calls that clients made'),
  overhead_ms: spread.describe('What the gateway itself added before the answer began'),
};
const summarySchema = z.object({
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  step_seconds: z.number(),
  since: z.iso
    .datetime()
    .nullable()
    .describe(
      `Where there are more than ${limits.requestLogSummaryRows} calls, the newest are summed up, and this is the first of them`,
    ),
  total: z.object(figures),
  spans: z.array(
    z.object({
      at: z.iso.datetime().describe('Its beginning'),
      ...figures,
      models: z.array(z.object({ model: z.string(), cost_usd: z.string() })),
    }),
  ),
  models: z.array(z.object({ provider: z.string().nullable(), model: z.string(), ...figures })),
  keys: z.array(z.object({ key_id: z.string().nullable(), ...figures })),
  errors: z.array(z.object({ status: z.int(), code: z.string().nullable(), count: z.int() })),
  modules: z.array(
    z.object({
      name: z.string(),
      calls: z.int(),
      saved_usd: z.string().describe('By answers of its own'),
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
      summary: 'What the calls of a time come to: in steps, by model, by error and by module',
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
        const question = { accountId, ...rangeOf(checkedQuery(query, sent), clock.now()) };
        return { body: described(question, await summaryOf(log, question)) };
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

function described({ fromMs, toMs }: SummaryQuestion, summary: LogSummary): z.output<typeof summarySchema> {
  return {
    from: timestamp(fromMs),
    to: timestamp(toMs),
    step_seconds: summary.stepMs / 1000,
    since: summary.sinceMs === undefined ? null : timestamp(summary.sinceMs),
    total: figuresOf(summary.all),
    spans: summary.spans.map(({ atMs, group }) => ({
      at: timestamp(atMs),
      ...figuresOf(group),
      models: [...group.models].map(([model, nano]) => ({ model, cost_usd: formatUsd(nano) })),
    })),
    models: [...summary.models].sort(bySpent).map(modelOf),
    keys: [...summary.keys].sort(bySpent).map(keyOf),
    errors: [...summary.errors.values()].sort(
      (one: ErrorGroup, other: ErrorGroup) => other.count - one.count,
    ),
    modules: [...summary.modules].map(moduleOf),
  };
}

function figuresOf(group: Group) {
  return {
    requests: group.requests,
    failed: group.failed,
    cached: group.cached,
    input_tokens: group.inputTokens,
    output_tokens: group.outputTokens,
    cost_usd: formatUsd(group.costNanoUsd),
    saved_usd: formatUsd(group.savedNanoUsd),
    first_content_ms: spreadOf(group.firstContentMs),
    overhead_ms: spreadOf(group.overheadMs),
  };
}

function spreadOf(times: readonly number[]): z.output<typeof spread> {
  const sorted = Float64Array.from(times).sort();
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;
  return { p50: at(0.5), p95: at(0.95) };
}

function bySpent([, one]: [string, Group], [, other]: [string, Group]): number {
  return other.costNanoUsd - one.costNanoUsd || other.requests - one.requests;
}

function modelOf([name, group]: [string, Group]) {
  const [provider = '', model = ''] = name.split('\n');
  return { provider: provider === '' ? null : provider, model, ...figuresOf(group) };
}

function keyOf([id, group]: [string, Group]) {
  return { key_id: id === '' ? null : id, ...figuresOf(group) };
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
