import { z } from 'zod';
import type { BillingReport } from '../../../billing/billing-report.ts';
import type { BillingService } from '../../../billing/billing-service.ts';
import { defaultPageLimit, pageLimitSchema } from '../../../kernel/input-schemas.ts';
import { limits } from '../../limits.ts';
import { bySession, defineRoute } from '../define-route.ts';
import { noBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import { timestamp } from '../text.ts';
import { TimeCursors } from '../time-cursor.ts';
import { parseQuery } from '../validation.ts';
import { autoRechargeInfo, badBody, billingErrors, unauthenticated } from './billing-responses.ts';

export interface BillingReportParts {
  readonly billing: Pick<BillingService, 'accountOf' | 'invoices'>;
  readonly report: BillingReport;
}

const balanceInfo = z.strictObject({
  tier: z.enum(['free', 'pro', 'team']),
  credits: z.int(),
  currentPeriodEnd: z.iso.datetime().nullable(),
  autoRechargeEnabled: z.boolean(),
  autoRechargeThreshold: z.int().optional().describe('Paid tiers only'),
  autoRechargeAmount: z.int().optional().describe('Paid tiers only'),
  upgradeUrl: z.string().nullable().describe('Free tier only'),
});

const cursors = new TimeCursors(/^[\w/.:-]{1,200}$/);
const usageQuery = {
  limit: pageLimitSchema(limits.creditPageMax),
  after: cursors.querySchema('A `nextCursor`: returns the older entries that follow it'),
};
const usageInfo = z.strictObject({
  tier: z.enum(['free', 'pro', 'team']),
  period: z.strictObject({ start: z.iso.datetime(), end: z.iso.datetime() }),
  requests: z.strictObject({ limit: z.int(), used: z.int(), remaining: z.int(), pastCap: z.int() }),
  overage: z.strictObject({ enabled: z.boolean(), creditsPerRequest: z.int() }),
  credits: z.int(),
  autoRecharge: autoRechargeInfo,
  entries: z
    .array(
      z.strictObject({
        id: z.string(),
        createdAt: z.iso.datetime(),
        kind: z.string(),
        credits: z.int().describe('Negative for a deduction'),
        reference: z.string(),
        note: z.string().nullable(),
      }),
    )
    .describe('The credit ledger, newest first'),
  hasMore: z.boolean(),
  nextCursor: z.string().nullable(),
});

const invoicesQuery = {
  limit: pageLimitSchema(limits.invoicePageMax),
  after: z
    .string()
    .regex(/^\w{1,100}$/, 'must be an invoice id')
    .optional()
    .describe('An invoice id: returns the older invoices that follow it'),
};
const invoicesInfo = z.strictObject({
  invoices: z
    .array(
      z.strictObject({
        id: z.string(),
        number: z.string().nullable(),
        createdAt: z.iso.datetime(),
        status: z
          .string()
          .describe('The status at the payment processor: draft, open, paid, void or uncollectible'),
        total: z.int().describe('In the smallest unit of the currency'),
        currency: z.string(),
        url: z.string().nullable().describe('The page at the payment processor to view and pay it'),
      }),
    )
    .describe('Newest first'),
  hasMore: z.boolean(),
});

/** Balance, usage and invoices of the signed-in account. */
export function billingReportRoutes({ billing, report }: BillingReportParts): readonly ApiRoute[] {
  const tag = 'Billing';
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/billing/balance',
      summary: 'Get tier and credits',
      tag,
      access: bySession('billing'),
      body: noBody,
      responses: { 200: { description: 'The balance', schema: balanceInfo }, ...unauthenticated },
      handle: async ({ caller }) => ({
        body: await report.balance(await billing.accountOf(caller.accountId)),
      }),
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/billing/usage',
      summary: 'Get the usage of the current period and the credit ledger',
      tag,
      access: bySession('billing'),
      query: usageQuery,
      body: noBody,
      responses: { 200: { description: 'The usage', schema: usageInfo }, ...badBody, ...unauthenticated },
      async handle({ caller, query }) {
        const { limit = defaultPageLimit, after } = parseQuery(usageQuery, query);
        const page = { limit, after: after === undefined ? undefined : cursors.decode(after) };
        const used = await report.usage(await billing.accountOf(caller.accountId), page);
        const last = used.hasMore ? used.entries.at(-1) : undefined;
        return {
          body: {
            ...used.report,
            entries: used.entries.map(({ atMs, ...entry }) => ({ ...entry, createdAt: timestamp(atMs) })),
            hasMore: used.hasMore,
            nextCursor: last === undefined ? null : cursors.encode(last),
          },
        };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/v1/billing/invoices',
      summary: 'List invoices of the payment processor',
      tag,
      access: bySession('billing'),
      query: invoicesQuery,
      body: noBody,
      responses: { 200: { description: 'A page of invoices', schema: invoicesInfo }, ...billingErrors },
      async handle({ caller, query }) {
        const { limit = defaultPageLimit, after } = parseQuery(invoicesQuery, query);
        const page = await billing.invoices(caller.accountId, { limit, after });
        return {
          body: {
            invoices: page.invoices.map(({ atMs, ...invoice }) => ({
              ...invoice,
              createdAt: timestamp(atMs),
            })),
            hasMore: page.hasMore,
          },
        };
      },
    }),
  ];
}
