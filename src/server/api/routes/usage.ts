import { z } from 'zod';
import type { Clock } from '../../../kernel/clock.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import { limits } from '../../../kernel/limits.ts';
import { bySessionOrKey, defineRoute } from '../define-route.ts';
import { noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import { parseQuery } from '../validation.ts';

export interface UsageReportQuery {
  /** Undefined asks about all there are. */
  readonly accountId: string | undefined;
  /** Days of UTC, `2026-11-15`, both included. */
  readonly from: string;
  readonly to: string;
}

export interface UsageParts {
  report(question: UsageReportQuery): Promise<object>;
  /** What a report looks like. */
  readonly schema: z.ZodType;
  readonly clock: Clock;
}

const dayMs = 86_400_000;
/** Days in a report where nothing is said. */
const defaultDays = 30;

const invalidDay = 'must be a day such as 2026-11-15';
const day = z.iso
  .date(invalidDay)
  .refine((text) => text >= '2000-01-01', invalidDay)
  .optional();
const query = {
  from: day.describe(`The first day, in UTC; ${defaultDays} days with the last where it is left out`),
  to: day.describe('The last day, in UTC; today where it is left out'),
};

/** What an account used, day by day; a local gateway has one user, who sees all of it. */
export function usageRoutes({ report, schema, clock }: UsageParts): readonly ApiRoute[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/usage',
      summary: 'Calls, tokens and cost, day by day',
      tag: 'Usage',
      access: bySessionOrKey,
      query,
      body: noBody,
      responses: {
        200: { description: 'The days', schema },
        400: { description: 'The query is wrong' },
        401: { description: 'No credential that holds' },
      },
      async handle({ caller, query: asked }) {
        const reportDays = reportDaysOf(parseQuery(query, asked), clock.now());
        const accountId = caller.kind === 'local' ? undefined : caller.accountId;
        return { body: await report({ accountId, ...reportDays }) };
      },
    }),
  ];
}

type ReportDays = Pick<UsageReportQuery, 'from' | 'to'>;

function reportDaysOf(
  asked: { from?: string | undefined; to?: string | undefined },
  nowMs: number,
): ReportDays {
  const to = asked.to ?? dayOf(nowMs);
  const from = asked.from ?? dayOf(Date.parse(to) - (defaultDays - 1) * dayMs);
  const days = (Date.parse(to) - Date.parse(from)) / dayMs + 1;
  if (days >= 1 && days <= limits.usageReportDaysMax) return { from, to };
  throw new GatewayError(
    'invalid_request',
    `from: must be no later than to, and at most ${limits.usageReportDaysMax} days with it`,
    { param: 'from' },
  );
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
