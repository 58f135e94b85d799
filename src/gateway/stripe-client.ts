import type Stripe from 'stripe';
import type { Egress } from '../egress/egress.ts';
import type { Secret } from '../lib/secret.ts';
import { stripeApi } from '../payments/settings.ts';
import { limits } from './limits.ts';

interface StripeOptions {
  readonly egress: Egress;
  readonly key: Secret;
  readonly base: string;
}

/** Loaded on first use, to save memory. */
export function lazyStripe(options: StripeOptions): () => Promise<Stripe> {
  let loading: Promise<Stripe> | undefined;
  return () => {
    loading ??= loadStripe(options);
    return loading;
  };
}

async function loadStripe({ egress, key, base }: StripeOptions): Promise<Stripe> {
  const { default: StripeClient } = await import('stripe');
  const { hostname, port, protocol, origin: ownOrigin } = new URL(base);
  const reach = base === stripeApi ? 'public' : 'any';
  const isPlain = protocol === 'http:';
  const fetch = egress.openFetch({
    purpose: 'billing',
    reachOf: (origin) => (origin === ownOrigin ? reach : undefined),
  });
  return new StripeClient(key.reveal(), {
    httpClient: StripeClient.createFetchHttpClient(fetch),
    host: hostname,
    port: port === '' ? (isPlain ? 80 : 443) : Number(port),
    protocol: isPlain ? 'http' : 'https',
    maxNetworkRetries: 0,
    timeout: limits.processorAnswerMs,
    telemetry: false,
  });
}
