import { z } from 'zod';
import type { BillingService } from '../../../billing/billing-service.ts';
import { creditsPerUsd } from '../../../kernel/credits.ts';
import { limits } from '../../../kernel/limits.ts';
import { bySession, defineRoute } from '../define-route.ts';
import { jsonBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import { autoRechargeInfo, badBody, billingErrors, unauthenticated } from './billing-responses.ts';

const creditsPerCent = creditsPerUsd / 100;

/** An address for a browser, and for nothing else. */
const webAddress = z
  .string('must be a string')
  .max(limits.urlCharactersMax, `must have at most ${limits.urlCharactersMax} characters`)
  .refine(isWebAddress, 'must be an http or https address without control characters')
  .meta({ format: 'uri' });

const purchasedCredits = z
  .int('must be a whole number of credits')
  .min(limits.creditsBoughtMin, `must be at least ${limits.creditsBoughtMin}: cards can't be charged less`)
  .max(limits.creditsBoughtMax, `must be at most ${limits.creditsBoughtMax}`)
  .multipleOf(creditsPerCent, `must be a multiple of ${creditsPerCent}, which is a cent`);

const redirectUrls = { successUrl: webAddress.optional(), cancelUrl: webAddress.optional() };
const checkoutInfo = z.strictObject({ url: z.string(), sessionId: z.string() });
const overageInfo = z.strictObject({ enabled: z.boolean() });
const notFree = { 403: { description: 'Free accounts have no credits' } };

/** What an account buys, and how it goes on paying, for whoever is logged in. */
export function billingRoutes(desk: BillingService): readonly ApiRoute[] {
  const tag = 'Billing';
  return [
    defineRoute({
      method: 'POST',
      path: '/v1/billing/checkout',
      summary: 'Buy a paid tier',
      tag,
      access: bySession,
      body: jsonBody({ tier: z.enum(['pro', 'team'], 'must be "pro" or "team"'), ...redirectUrls }),
      responses: {
        200: { description: 'Where a browser pays', schema: checkoutInfo },
        409: { description: 'There is a subscription; the portal changes it' },
        ...billingErrors,
      },
      handle: async ({ caller, body }) => ({
        body: await desk.checkout(caller.accountId, body.tier, body),
      }),
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/billing/credits',
      summary: 'Buy credits',
      tag,
      access: bySession,
      body: jsonBody({ credits: purchasedCredits, ...redirectUrls }),
      responses: {
        200: { description: 'Where a browser pays', schema: checkoutInfo },
        ...notFree,
        ...billingErrors,
      },
      handle: async ({ caller, body }) => ({
        body: await desk.buyCredits(caller.accountId, body.credits, body),
      }),
    }),
    defineRoute({
      method: 'POST',
      path: '/v1/billing/portal',
      summary: 'Where cards, plans and invoices are',
      tag,
      access: bySession,
      body: jsonBody({ returnUrl: webAddress }),
      responses: {
        200: { description: 'The address, for one visit', schema: z.strictObject({ url: z.string() }) },
        ...billingErrors,
      },
      handle: async ({ caller, body }) => ({
        body: { url: await desk.portal(caller.accountId, body.returnUrl) },
      }),
    }),
    defineRoute({
      method: 'PUT',
      path: '/v1/billing/overage',
      summary: 'Pay for calls past the cap with credits, or not',
      tag,
      access: bySession,
      body: jsonBody({ enabled: z.boolean('must be true or false') }),
      responses: {
        200: { description: 'As it is from the next call on', schema: overageInfo },
        ...badBody,
        ...unauthenticated,
        ...notFree,
      },
      async handle({ caller, body: { enabled } }) {
        await desk.userOf(caller.accountId);
        await desk.setOverage(caller.accountId, enabled);
        return { body: { enabled } };
      },
    }),
    defineRoute({
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
        amount: purchasedCredits.optional().describe('What is bought then; as it was where it is left out'),
      }),
      responses: {
        200: { description: 'As it is now', schema: autoRechargeInfo },
        ...notFree,
        ...billingErrors,
      },
      async handle({ caller, body }) {
        await desk.userOf(caller.accountId);
        return { body: await desk.setAutoRecharge(caller.accountId, body) };
      },
    }),
  ];
}

function isWebAddress(text: string): boolean {
  // A parser leaves them out, and whoever gets the text may not.
  if (/\p{Cc}/u.test(text)) return false;
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}
