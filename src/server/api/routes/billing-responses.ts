import { z } from 'zod';

export const autoRechargeInfo = z.strictObject({
  enabled: z.boolean(),
  threshold: z.int(),
  amount: z.int(),
  reason: z.string().nullable().describe('Why it switched itself off'),
});

export const unauthenticated = { 401: { description: 'No session token that holds; API keys are none' } };
export const badBody = { 400: { description: 'The body is wrong' } };
export const billingErrors = {
  ...badBody,
  ...unauthenticated,
  502: { description: 'The payment processor did not do it' },
  503: { description: 'There is no payment processor, or local mode' },
};
