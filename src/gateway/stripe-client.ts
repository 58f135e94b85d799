import type Stripe from 'stripe';
import type { Secret } from '../lib/secret.ts';
import { limits } from './limits.ts';

interface StripeOptions {
  readonly key: Secret;
  readonly base: string;
}

/** Loaded on first use, to save memory. */
export function lazyStripe({ key, base }: StripeOptions): () => Promise<Stripe> {
  let loading: Promise<Stripe> | undefined;
  return () => {
    loading ??= loadStripe({ key, base });
    return loading;
  };
}

async function loadStripe({ key, base }: StripeOptions): Promise<Stripe> {
  const { default: StripeClient } = await import('stripe');
  const { hostname, port, protocol } = new URL(base);
  const isPlain = protocol === 'http:';
  return new StripeClient(key.reveal(), {
    host: hostname,
    port: port === '' ? (isPlain ? 80 : 443) : Number(port),
    protocol: isPlain ? 'http' : 'https',
    maxNetworkRetries: 0,
    timeout: limits.processorAnswerMs,
    telemetry: false,
  });
}
