import { z } from 'zod';
import type { Clock } from '../../../kernel/clock.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import { limits } from '../../../kernel/limits.ts';
import { checkedQuery } from '../checked.ts';
import { bySessionOrKey, checkedRoute } from '../checked-route.ts';
import { noBody } from '../json-body.ts';
import type { OwnRoute } from '../route.ts';

export interface UsageQuestion {
  /** Undefined asks about all there are. */
  readonly accountId: string | undefined;
  /** Days of UTC, `2026-11-15`, both included. */
  readonly from: string;
  readonly to: string;
}

export interface UsageParts {
  report(question: UsageQuestion): Promise<object>;
  /** What a report looks like. */
  readonly schema: z.ZodType;
  readonly clock: Clock;
}

const dayMs = 86_400_000;
/** Days in a report where nothing is said. */
const usualDays = 30;

const wrong = 'must be a day such as 2026-11-15';
const day = z.iso
  .date(wrong)
  .refine((text) => text >= '2000-01-01', wrong)
  .optional();
const query = {
  from: day.describe(`The first day, in UTC; ${usualDays} days with the last where it is left out`),
  to: day.describe('The last day, in UTC; today where it is left out'),
};

/** What an account used, day by day; a local gateway has one user, who sees all of it. */
export function usageRoutes({ report, schema, clock }: UsageParts): readonly OwnRoute[] {
  return [
    checkedRoute({
      method: 'GET',
      path: '/v1/usage',
      summary: 'Calls, tokens and cost, day by day',
      tag: 'Usage',
      access: bySessionOrKey,
      query,
      body: noBody,
      answers: {
        200: { description: 'The days', schema },
        400: { description: 'The query is wrong' },
        401: { description: 'No credential that holds' },
      },
      async handle({ caller, query: asked }) {
        const days = daysOf(checkedQuery(query, asked), clock.now());
        const accountId = caller.kind === 'local' ? undefined : caller.accountId;
        return { body: await report({ accountId, ...days }) };
      },
    }),
  ];
}

type Days = Pick<UsageQuestion, 'from' | 'to'>;

function daysOf(asked: { from?: string | undefined; to?: string | undefined }, nowMs: number): Days {
  const to = asked.to ?? dayOf(nowMs);
  const from = asked.from ?? dayOf(Date.parse(to) - (usualDays - 1) * dayMs);
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
