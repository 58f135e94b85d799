import { z } from 'zod';

export const autoRechargeInfo = z.strictObject({
  enabled: z.boolean(),
  threshold: z.int(),
  amount: z.int(),
  reason: z.string().nullable().describe('Why auto-recharge was turned off automatically'),
});

export const unauthenticated = {
  401: { description: 'Missing or invalid session token; API keys are not accepted' },
};
export const badBody = { 400: { description: 'The body is invalid' } };
export const billingErrors = {
  ...badBody,
  ...unauthenticated,
  502: { description: 'The payment processor failed' },
  503: { description: 'No payment processor is configured, or the gateway runs in local mode' },
};
