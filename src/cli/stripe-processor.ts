import { StripeBilling } from '../billing/stripe/stripe-billing.ts';
import { egressPart } from '../gateway/parts/egress.ts';
import type { Settings } from '../gateway/settings.ts';
import { lazyStripe } from '../gateway/stripe-client.ts';

interface OpenProcessor {
  readonly processor: StripeBilling;
  close(): Promise<void>;
}

/** The payment processor for a command; undefined if none is configured. */
export function openProcessor(settings: Settings): OpenProcessor | undefined {
  const { mpp, billing } = settings;
  if (mpp.stripeKey === undefined) return undefined;
  const { egress } = egressPart({ settings, log: { error() {} } });
  const client = lazyStripe({ egress, key: mpp.stripeKey, base: mpp.stripeBase });
  return { processor: new StripeBilling({ client, ...billing }), close: () => egress.close() };
}
