import { z } from 'zod';
import type { BillingDesk } from '../../../billing/billing-desk.ts';
import type { BillingReport } from '../../../billing/billing-report.ts';
import { creditsPerUsd } from '../../../kernel/credits.ts';
import { limits } from '../../../kernel/limits.ts';
import { checkedQuery } from '../checked.ts';
import { bySession, checkedRoute } from '../checked-route.ts';
import { jsonBody, noBody } from '../json-body.ts';
import { pageLimit, usualLimit } from '../page-limit.ts';
import type { OwnRoute } from '../route.ts';
import { timestamp } from '../text.ts';
import { TimeCursors } from '../time-cursor.ts';

export interface BillingParts {
  readonly desk: BillingDesk;
  readonly report: BillingReport;
}

const creditsPerCent = creditsPerUsd / 100;

/** An address for a browser, and for nothing else. */
const webAddress = z
  .string('must be a string')
  .max(limits.urlCharactersMax, `must have at most ${limits.urlCharactersMax} characters`)
  .refine(isWebAddress, 'must be an http or https address')
  .meta({ format: 'uri' });

const bought = z
  .int('must be a whole number of credits')
  .min(limits.creditsBoughtMin, `must be at least ${limits.creditsBoughtMin}: cards can't be charged less`)
  .max(limits.creditsBoughtMax, `must be at most ${limits.creditsBoughtMax}`)
  .multipleOf(creditsPerCent, `must be a multiple of ${creditsPerCent}, which is a cent`);

const ways = { successUrl: webAddress.optional(), cancelUrl: webAddress.optional() };
const checkoutInfo = z.strictObject({ url: z.string(), sessionId: z.string() });
const balanceInfo = z.strictObject({
  tier: z.enum(['free', 'pro', 'team']),
  credits: z.int(),
  currentPeriodEnd: z.iso.datetime().nullable(),
  autoRechargeEnabled: z.boolean(),
  autoRechargeThreshold: z.int().optional().describe('Of paid tiers'),
  autoRechargeAmount: z.int().optional().describe('Of paid tiers'),
  upgradeUrl: z.string().nullable().describe('Of the free tier'),
});
const autoRechargeInfo = z.strictObject({
  enabled: z.boolean(),
  threshold: z.int(),
  amount: z.int(),
  reason: z.string().nullable().describe('Why it switched itself off'),
});
const overageInfo = z.strictObject({ enabled: z.boolean() });
const cursors = new TimeCursors(/^[\w/.:-]{1,200}$/);
const usageQuery = {
  limit: pageLimit(limits.creditPageMax),
  after: cursors.after('A `nextCursor`: the entries that come after it in the list, which are older'),
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
        credits: z.int().describe('Negative where they were taken'),
        reference: z.string(),
        note: z.string().nullable(),
      }),
    )
    .describe('The ledger of credits, the newest first'),
  hasMore: z.boolean(),
  nextCursor: z.string().nullable(),
});

const invoicesQuery = {
  limit: pageLimit(limits.invoicePageMax),
  after: z
    .string()
    .regex(/^\w{1,100}$/, 'must be the id of an invoice')
    .optional()
    .describe('The id of an invoice: those that come after it in the list, which are older'),
};
const invoicesInfo = z.strictObject({
  invoices: z
    .array(
      z.strictObject({
        id: z.string(),
        number: z.string().nullable(),
        createdAt: z.iso.datetime(),
        status: z.string().describe('As the processor says: draft, open, paid, void, uncollectible'),
        total: z.int().describe('In the smallest unit of its currency'),
        currency: z.string(),
        url: z.string().nullable().describe('Where it can be read and paid, with the processor'),
      }),
    )
    .describe('The newest first'),
  hasMore: z.boolean(),
});

const unauthenticated = { 401: { description: 'No session token that holds; API keys are none' } };
const badBody = { 400: { description: 'The body is wrong' } };
const refusals = {
  ...badBody,
  ...unauthenticated,
  502: { description: 'The payment processor did not do it' },
  503: { description: 'There is no payment processor, or local mode' },
};
const notFree = { 403: { description: 'Free accounts have no credits' } };
const headers = ['cache-control', 'no-store'];

/** What an account pays, for whoever is logged in. */
export function billingRoutes({ desk, report }: BillingParts): readonly OwnRoute[] {
  const tag = 'Billing';
  return [
    checkedRoute({
      method: 'POST',
      path: '/v1/billing/checkout',
      summary: 'Buy a paid tier',
      tag,
      access: bySession,
      body: jsonBody({ tier: z.enum(['pro', 'team'], 'must be "pro" or "team"'), ...ways }),
      answers: {
        200: { description: 'Where a browser pays', schema: checkoutInfo },
        409: { description: 'There is a subscription; the portal changes it' },
        ...refusals,
      },
      handle: async ({ caller, body }) => ({
        headers,
        body: await desk.checkout(caller.accountId, body.tier, body),
      }),
    }),
    checkedRoute({
      method: 'POST',
      path: '/v1/billing/credits',
      summary: 'Buy credits',
      tag,
      access: bySession,
      body: jsonBody({ credits: bought, ...ways }),
      answers: {
        200: { description: 'Where a browser pays', schema: checkoutInfo },
        ...notFree,
        ...refusals,
      },
      handle: async ({ caller, body }) => ({
        headers,
        body: await desk.buyCredits(caller.accountId, body.credits, body),
      }),
    }),
    checkedRoute({
      method: 'POST',
      path: '/v1/billing/portal',
      summary: 'Where cards, plans and invoices are',
      tag,
      access: bySession,
      body: jsonBody({ returnUrl: webAddress }),
      answers: {
        200: { description: 'The address, for one visit', schema: z.strictObject({ url: z.string() }) },
        ...refusals,
      },
      handle: async ({ caller, body }) => ({
        headers,
        body: { url: await desk.portal(caller.accountId, body.returnUrl) },
      }),
    }),
    checkedRoute({
      method: 'GET',
      path: '/v1/billing/balance',
      summary: 'Tier and credits',
      tag,
      access: bySession,
      body: noBody,
      answers: { 200: { description: 'The balance', schema: balanceInfo }, ...unauthenticated },
      handle: async ({ caller }) => ({
        headers,
        body: await report.balance(await desk.userOf(caller.accountId)),
      }),
    }),
    checkedRoute({
      method: 'GET',
      path: '/v1/billing/usage',
      summary: 'What was used in this period, and the ledger of credits',
      tag,
      access: bySession,
      query: usageQuery,
      body: noBody,
      answers: { 200: { description: 'The usage', schema: usageInfo }, ...badBody, ...unauthenticated },
      async handle({ caller, query }) {
        const { limit = usualLimit, after } = checkedQuery(usageQuery, query);
        const page = { limit, after: after === undefined ? undefined : cursors.placeOf(after) };
        const used = await report.usage(await desk.userOf(caller.accountId), page);
        const last = used.hasMore ? used.entries.at(-1) : undefined;
        return {
          headers,
          body: {
            ...used.report,
            entries: used.entries.map(({ atMs, ...entry }) => ({ ...entry, createdAt: timestamp(atMs) })),
            hasMore: used.hasMore,
            nextCursor: last === undefined ? null : cursors.of(last),
          },
        };
      },
    }),
    checkedRoute({
      method: 'GET',
      path: '/v1/billing/invoices',
      summary: 'Invoices of the payment processor',
      tag,
      access: bySession,
      query: invoicesQuery,
      body: noBody,
      answers: { 200: { description: 'A page of invoices', schema: invoicesInfo }, ...refusals },
      async handle({ caller, query }) {
        const { limit = usualLimit, after } = checkedQuery(invoicesQuery, query);
        const found = await desk.invoices(caller.accountId, { limit, after });
        return {
          headers,
          body: {
            invoices: found.invoices.map(({ atMs, ...invoice }) => ({
              ...invoice,
              createdAt: timestamp(atMs),
            })),
            hasMore: found.hasMore,
          },
        };
      },
    }),
    checkedRoute({
      method: 'PUT',
      path: '/v1/billing/overage',
      summary: 'Pay for calls past the cap with credits, or not',
      tag,
      access: bySession,
      body: jsonBody({ enabled: z.boolean('must be true or false') }),
      answers: {
        200: { description: 'As it is from the next call on', schema: overageInfo },
        ...badBody,
        ...unauthenticated,
        ...notFree,
      },
      async handle({ caller, body: { enabled } }) {
        await desk.userOf(caller.accountId);
        await desk.setOverage(caller.accountId, enabled);
        return { headers, body: { enabled } };
      },
    }),
    checkedRoute({
      method: 'PUT',
      path: '/v1/billing/auto-recharge',
      summary: 'Buy credits by themselves when few are left, or not',
      tag,
      access: bySession,
      body: jsonBody({
        enabled: z.boolean('must be true or false'),
        threshold: z
          .int('must be a whole number of credits')
          .min(1, 'must be at least 1')
          .max(limits.creditsBoughtMax, `must be at most ${limits.creditsBoughtMax}`)
          .optional()
          .describe('Fewer credits than this are too few; as it was where it is left out'),
        amount: bought.optional().describe('What is bought then; as it was where it is left out'),
      }),
      answers: {
        200: { description: 'As it is now', schema: autoRechargeInfo },
        ...notFree,
        ...refusals,
      },
      async handle({ caller, body }) {
        await desk.userOf(caller.accountId);
        return { headers, body: await desk.setAutoRecharge(caller.accountId, body) };
      },
    }),
  ];
}

function isWebAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}
