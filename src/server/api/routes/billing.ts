import { z } from 'zod';
import { changeOf } from '../../../audit/change.ts';
import type { BillingService } from '../../../billing/billing-service.ts';
import { creditsPerUsd } from '../../../kernel/credits.ts';
import { limits } from '../../limits.ts';
import { bySession, defineRoute } from '../define-route.ts';
import { jsonBody } from '../json-body.ts';
import type { ApiRoute } from '../route.ts';
import { autoRechargeInfo, badBody, billingErrors, unauthenticated } from './billing-responses.ts';

const creditsPerCent = creditsPerUsd / 100;

const webAddress = z
  .string('must be a string')
  .max(limits.urlCharactersMax, `must have at most ${limits.urlCharactersMax} characters`)
  .refine(isWebAddress, 'must be an http or https URL without credentials or control characters')
  .meta({ format: 'uri' });

const purchasedCredits = z
  .int('must be a whole number of credits')
  .min(limits.creditsBoughtMin, `must be at least ${limits.creditsBoughtMin}, the minimum card charge`)
  .max(limits.creditsBoughtMax, `must be at most ${limits.creditsBoughtMax}`)
  .multipleOf(creditsPerCent, `must be a multiple of ${creditsPerCent} (one cent)`);

const redirectUrls = { successUrl: webAddress.optional(), cancelUrl: webAddress.optional() };
const checkoutInfo = z.strictObject({ url: z.string(), sessionId: z.string() });
const overageInfo = z.strictObject({ enabled: z.boolean() });
const notFree = { 403: { description: 'Free accounts have no credits' } };

/** Purchases and payment options of the signed-in account. */
export function billingRoutes(billing: BillingService): readonly ApiRoute[] {
  const tag = 'Billing';
  return [
    defineRoute({
      method: 'POST',
      audit: 'none',
      path: '/v1/billing/checkout',
      summary: 'Buy a paid tier',
      tag,
      access: bySession('billing'),
      body: jsonBody({ tier: z.enum(['pro', 'team'], 'must be "pro" or "team"'), ...redirectUrls }),
      responses: {
        200: { description: 'The checkout page to open in a browser', schema: checkoutInfo },
        409: { description: 'The account has a subscription already; change it in the portal' },
        ...billingErrors,
      },
      handle: async ({ caller, body }) => ({
        body: await billing.checkout(caller.accountId, body.tier, body),
      }),
    }),
    defineRoute({
      method: 'POST',
      audit: 'none',
      path: '/v1/billing/credits',
      summary: 'Buy credits',
      tag,
      access: bySession('billing'),
      body: jsonBody({ credits: purchasedCredits, ...redirectUrls }),
      responses: {
        200: { description: 'The checkout page to open in a browser', schema: checkoutInfo },
        ...notFree,
        ...billingErrors,
      },
      handle: async ({ caller, body }) => ({
        body: await billing.buyCredits(caller.accountId, body.credits, body),
      }),
    }),
    defineRoute({
      method: 'POST',
      audit: 'none',
      path: '/v1/billing/portal',
      summary: 'Open the portal for cards, plans and invoices',
      tag,
      access: bySession('billing'),
      body: jsonBody({ returnUrl: webAddress }),
      responses: {
        200: { description: 'The URL, valid for one visit', schema: z.strictObject({ url: z.string() }) },
        ...billingErrors,
      },
      handle: async ({ caller, body }) => ({
        body: { url: await billing.portal(caller.accountId, body.returnUrl) },
      }),
    }),
    defineRoute({
      method: 'PUT',
      audit: 'billing.changed',
      path: '/v1/billing/overage',
      summary: 'Turn paying with credits for calls past the cap on or off',
      tag,
      access: bySession('billing'),
      body: jsonBody({ enabled: z.boolean('must be true or false') }),
      responses: {
        200: { description: 'The new state, effective from the next call', schema: overageInfo },
        ...badBody,
        ...unauthenticated,
        ...notFree,
      },
      async handle({ caller, body: { enabled } }) {
        const { overage = false } = await billing.accountOf(caller.accountId);
        await billing.setOverage(caller.accountId, enabled);
        return { body: { enabled }, audit: changeOf({ overage }, { overage: enabled }) };
      },
    }),
    defineRoute({
      method: 'PUT',
      audit: 'billing.changed',
      path: '/v1/billing/auto-recharge',
      summary: 'Turn automatic purchase of credits on or off',
      tag,
      access: bySession('billing'),
      body: jsonBody({
        enabled: z.boolean('must be true or false'),
        threshold: z
          .int('must be a whole number of credits')
          .min(1, 'must be at least 1')
          .max(limits.creditsBoughtMax, `must be at most ${limits.creditsBoughtMax}`)
          .optional()
          .describe('Credits are bought when the balance falls below this; unchanged by default'),
        amount: purchasedCredits.optional().describe('How many credits are bought; unchanged by default'),
      }),
      responses: {
        200: { description: 'The new state', schema: autoRechargeInfo },
        ...notFree,
        ...billingErrors,
      },
      async handle({ caller, body }) {
        await billing.accountOf(caller.accountId);
        const autoRecharge = await billing.setAutoRecharge(caller.accountId, body);
        return { body: autoRecharge, audit: { after: autoRecharge } };
      },
    }),
  ];
}

function isWebAddress(text: string): boolean {
  // URL parsers drop control characters, but other readers of the text may not.
  if (/\p{Cc}/u.test(text)) return false;
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}
