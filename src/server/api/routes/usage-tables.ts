import { z } from 'zod';
import { describeUsage } from '../../../billing/usage-report.ts';
import type { UsageDay } from '../../../kernel/ports/records.ts';
import type { EndUserSums, EndUsersQuery } from '../../../kernel/ports/request-log.ts';
import type { Clock } from '../../../lib/clock.ts';
import { limits } from '../../limits.ts';
import { csvLine } from '../csv.ts';
import { bySessionOrKey, defineRoute, inProject } from '../define-route.ts';
import { noBody } from '../json-body.ts';
import { namedProject } from '../project-access.ts';
import type { ApiRoute } from '../route.ts';
import { parseQuery } from '../validation.ts';
import { accountOf, dayQuery, project, reportDaysOf, type UsageReportQuery } from './usage.ts';

export interface UsageTableParts {
  days(query: UsageReportQuery): Promise<readonly UsageDay[]>;
  /** Those with the highest cost. */
  endUsers(query: EndUsersQuery): Promise<readonly EndUserSums[]>;
  readonly clock: Clock;
}

const dayMs = 86_400_000;
/** The sums of a row. */
export const tableFigures = {
  requests: z.int(),
  failed: z.int(),
  input_tokens: z.int().describe("Excludes tokens read from or written to the provider's cache"),
  output_tokens: z.int(),
  cache_read_tokens: z.int(),
  cache_write_tokens: z.int(),
  cost_usd: z.string().describe('In dollars, as a decimal number'),
};
const endUserSchema = z.strictObject({
  end_user: z.string().describe('The pseudonym, as in the request log'),
  ...tableFigures,
});
const endUsersSchema = z.strictObject({
  ...{ from: z.iso.date(), to: z.iso.date() },
  end_users: z.array(endUserSchema).describe('Those with the highest cost, the highest first'),
});
/** The query parameters of a list by cost. */
export const tableQuery = {
  ...dayQuery,
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(limits.usageRowsListed, `must be at most ${limits.usageRowsListed}`)
    .default(200)
    .describe('How many are listed'),
  format: z.enum(['json', 'csv'], 'must be json or csv').optional().describe('json by default'),
};
/** What the routes of tables have in common. */
export const tableRoute = {
  method: 'GET',
  tag: 'Usage',
  access: bySessionOrKey('usage'),
  body: noBody,
  responses: {
    400: { description: 'A query parameter is invalid' },
    401: { description: 'Missing or invalid credential' },
  },
} as const;
const contentType = 'text/csv; charset=utf-8; header=present';

/** Usage by end user, and tables of usage for spreadsheets. */
export function usageTableRoutes({ days, endUsers, clock }: UsageTableParts): readonly ApiRoute[] {
  return [
    defineRoute({
      ...tableRoute,
      path: '/v1/usage/end-users',
      summary: 'List the end users with the highest cost',
      query: tableQuery,
      responses: {
        200: { description: 'The end users; as CSV with `format=csv`', schema: endUsersSchema },
        ...tableRoute.responses,
      },
      async handle({ caller, query: sent }) {
        const { limit, format, ...asked } = parseQuery(tableQuery, sent);
        const { from, to } = reportDaysOf(asked, clock.now());
        const [fromMs, toMs] = [Date.parse(from), Date.parse(to) + dayMs];
        const found = await endUsers({ accountId: accountOf(caller), fromMs, toMs, limit });
        const rows = found.map(({ endUser, ...sums }) => ({ end_user: endUser, ...describeUsage(sums) }));
        return format === 'csv' ? csvOf('end-users', rows) : { body: { from, to, end_users: rows } };
      },
    }),
    defineRoute({
      ...tableRoute,
      path: '/v1/usage/export',
      summary: 'Export usage by day, key and model as CSV',
      access: inProject(bySessionOrKey('usage'), namedProject),
      query: { ...dayQuery, project },
      responses: {
        200: { description: 'A line for each day, key and model', contentType: 'text/csv' },
        ...tableRoute.responses,
      },
      async handle({ caller, query: sent }) {
        const { from, to } = reportDaysOf(parseQuery(dayQuery, sent), clock.now());
        const rows = await days({ accountId: accountOf(caller), keyIds: caller.keyIds, from, to });
        return csvOf(
          'usage',
          rows.map(({ day, keyId, provider, model, ...sums }) => ({
            ...{ day, key_id: keyId === '' ? null : keyId, provider, model },
            ...describeUsage(sums),
          })),
        );
      },
    }),
  ];
}

/** The names of the first row are the header line; there is none without rows. */
export function csvOf(name: string, rows: readonly object[]) {
  const [first] = rows;
  const head = first === undefined ? '' : csvLine(Object.keys(first));
  return {
    headers: ['content-disposition', `attachment; filename="weir-${name}.csv"`],
    contentType,
    body: `${head}${rows.map((row) => csvLine(Object.values(row))).join('')}`,
  };
}
