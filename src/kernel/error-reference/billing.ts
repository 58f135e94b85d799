import type { ErrorDescriptions } from '../error-reference.ts';

export const billingErrors = {
  paid_tier_required: {
    cause: 'The account is free, and credits are for paid tiers.',
    remedy: 'Subscribe: `upgrade_url`, or `POST /v1/billing/checkout`.',
  },
  already_subscribed: {
    cause: 'The account has a subscription already.',
    remedy: 'Change it in the portal that `POST /v1/billing/portal` leads to.',
  },
  billing_not_configured: {
    cause: 'The gateway has no payment processor, price or webhook secret for this.',
    remedy:
      'The operator sets the `STRIPE_…` variables that `detail` is about: [billing](../guides/billing.md#setting-it-up).',
  },
  processor_failed: {
    cause: 'The payment processor did not answer, or refused.',
    remedy: 'Try again in a moment. The log has the processor’s answer.',
  },
  invalid_signature: {
    cause: 'A webhook was not signed with `STRIPE_WEBHOOK_SECRET`, or was signed too long ago.',
    remedy: 'Set the secret that Stripe shows for this webhook, and check the clock of the machine.',
  },
  idempotency_key_in_use: {
    cause: 'A paid call with this `Idempotency-Key` is in flight.',
    remedy: 'Send the same call again after `retry-after` to get its answer.',
  },
  idempotency_key_reused: {
    cause:
      'The `Idempotency-Key` was used with the same credential for another body. Nothing was charged again.',
    remedy: 'Use a new key for a new body.',
  },
} as const satisfies ErrorDescriptions;
