import { z } from 'zod';
import { GatewayError } from '../../../kernel/errors.ts';
import type { Clock } from '../../../lib/clock.ts';
import { limits } from '../../limits.ts';
import type { AccountCaller } from '../access.ts';
import { bySessionOrKey, defineRoute, inProject } from '../define-route.ts';
import { noBody } from '../json-body.ts';
import { namedProject, projectQuery } from '../project-access.ts';
import type { ApiRoute } from '../route.ts';
import { parseQuery } from '../validation.ts';

export interface UsageReportQuery {
  /** Undefined selects all accounts. */
  readonly accountId: string | undefined;
  /** Undefined for all keys. */
  readonly keyIds?: readonly string[] | undefined;
  /** UTC days such as `2026-11-15`, both inclusive. */
  readonly from: string;
  readonly to: string;
}

export interface UsageParts {
  report(question: UsageReportQuery): Promise<object>;
  readonly schema: z.ZodType;
  /** What modules saved; undefined selects all accounts. */
  savings(accountId: string | undefined): Promise<object>;
  readonly savingsSchema: z.ZodType;
  readonly clock: Clock;
}

const dayMs = 86_400_000;
const defaultDays = 30;

const invalidDay = 'must be a day such as 2026-11-15';
const day = z.iso
  .date(invalidDay)
  .refine((text) => text >= '2000-01-01', invalidDay)
  .optional();
export const project = projectQuery.describe('The id of a project: usage of its keys');
/** The query parameters of a range of days. */
export const dayQuery = {
  from: day.describe(`The first day (UTC); by default the report has ${defaultDays} days`),
  to: day.describe('The last day (UTC); by default today'),
};

/** The daily usage of an account and what its modules saved, or that of the whole gateway in local mode. */
export function usageRoutes({
  report,
  schema,
  savings,
  savingsSchema,
  clock,
}: UsageParts): readonly ApiRoute[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/usage',
      summary: 'Get calls, tokens and cost by day',
      tag: 'Usage',
      access: inProject(bySessionOrKey('usage'), namedProject),
      query: { ...dayQuery, project },
      body: noBody,
      responses: {
        200: { description: 'The days', schema },
        400: { description: 'A query parameter is invalid' },
        401: { description: 'Missing or invalid credential' },
      },
      async handle({ caller, query: sent }) {
        const reportDays = reportDaysOf(parseQuery(dayQuery, sent), clock.now());
        return { body: await report({ accountId: accountOf(caller), keyIds: caller.keyIds, ...reportDays }) };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/savings',
      summary: 'Get what each module saved, and how that was measured',
      tag: 'Usage',
      access: bySessionOrKey('usage'),
      body: noBody,
      responses: {
        200: { description: 'The modules that ran, by name', schema: savingsSchema },
        401: { description: 'Missing or invalid credential' },
      },
      handle: async ({ caller }) => ({ body: await savings(accountOf(caller)) }),
    }),
  ];
}

export function accountOf(caller: AccountCaller): string | undefined {
  return caller.kind === 'local' ? undefined : caller.accountId;
}

type ReportDays = Pick<UsageReportQuery, 'from' | 'to'>;

export function reportDaysOf(
  range: { from?: string | undefined; to?: string | undefined },
  nowMs: number,
): ReportDays {
  const to = range.to ?? dayOf(nowMs);
  const from = range.from ?? dayOf(Date.parse(to) - (defaultDays - 1) * dayMs);
  const days = (Date.parse(to) - Date.parse(from)) / dayMs + 1;
  if (days >= 1 && days <= limits.usageReportDaysMax) return { from, to };
  throw new GatewayError(
    'invalid_request',
    `from: must not be later than to, and the range must not exceed ${limits.usageReportDaysMax} days`,
    { param: 'from' },
  );
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
