import { z } from 'zod';
import type { ProcessorWebhooks } from '../../../billing/processor-webhooks.ts';
import { GatewayError } from '../../../kernel/errors.ts';
import { headerOf } from '../../../kernel/headers.ts';
import { limits } from '../../../kernel/limits.ts';
import type { ApiRoute } from '../route.ts';

/** Where the payment processor tells its news. An answer that isn't 2xx makes it tell them again later. */
export function stripeWebhookRoute(news: ProcessorWebhooks | undefined): ApiRoute {
  return {
    kind: 'own',
    method: 'POST',
    path: '/webhooks/stripe',
    summary: 'News of the payment processor, which signs them',
    tag: 'Billing',
    access: 'public',
    bodyBytesMax: limits.eventBytesMax,
    responses: {
      200: { description: 'Taken in', schema: z.strictObject({ received: z.literal(true) }) },
      400: { description: 'The signature is missing, wrong or old' },
      503: { description: 'This gateway has no secret to check signatures with' },
    },
    async handle({ headers, readBody }) {
      if (news === undefined)
        throw new GatewayError(
          'billing_not_configured',
          'this gateway takes no news of a payment processor; its operator sets STRIPE_WEBHOOK_SECRET',
          { detail: 'billing_not_configured:webhook', shouldRetry: false },
        );
      await news.handle(await readBody(), headerOf(headers, 'stripe-signature') ?? '');
      return { body: { received: true } };
    },
  };
}
