import { z } from 'zod';
import type { ProcessorWebhooks } from '../../../billing/processor-webhooks.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import { headerOf } from '../../../lib/headers.ts';
import { limits } from '../../limits.ts';
import type { ApiRoute } from '../route.ts';

/** Receives events of the payment processor, which retries them unless the response is 2xx. */
export function stripeWebhookRoute(news: ProcessorWebhooks | undefined): ApiRoute {
  return {
    kind: 'own',
    method: 'POST',
    audit: 'none',
    path: '/webhooks/stripe',
    summary: 'Receive signed events of the payment processor',
    tag: 'Billing',
    access: 'public',
    bodyBytesMax: limits.eventBytesMax,
    responses: {
      200: { description: 'Accepted', schema: z.strictObject({ received: z.literal(true) }) },
      400: { description: 'The signature is missing, wrong or expired' },
      503: { description: 'The webhook secret is not configured' },
    },
    async handle({ headers, readBody }) {
      if (news === undefined)
        throw new GatewayError(
          'billing_not_configured',
          'the Stripe webhook is not configured; the operator must set STRIPE_WEBHOOK_SECRET',
          { detail: 'billing_not_configured:webhook', shouldRetry: false },
        );
      await news.handle(await readBody(), headerOf(headers, 'stripe-signature') ?? '');
      return { body: { received: true } };
    },
  };
}
