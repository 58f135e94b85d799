import type Stripe from 'stripe';
import { type PaidTier, paidTiers, type Subscription } from '../billing-processor.ts';

/** Stripe's price ids by tier: the first is on sale, the others were. */
export type TierPrices = Readonly<Record<PaidTier, readonly string[]>>;

export function readSubscription(subscription: Stripe.Subscription, prices: TierPrices): Subscription {
  const { id, status, items, cancel_at, cancel_at_period_end } = subscription;
  const tierOf = ({ price }: Stripe.SubscriptionItem) =>
    paidTiers.find((name) => prices[name].includes(price.id));
  const item = items.data.find((one) => tierOf(one) !== undefined) ?? items.data[0];
  const startMs = (item?.current_period_start ?? 0) * 1000;
  const endMs = (item?.current_period_end ?? 0) * 1000;
  const cancelAtMs = cancel_at === null ? undefined : cancel_at * 1000;
  return {
    id,
    status,
    tier: item && tierOf(item),
    startMs,
    endMs,
    cancelAtMs: cancelAtMs ?? (cancel_at_period_end ? endMs : undefined),
  };
}
