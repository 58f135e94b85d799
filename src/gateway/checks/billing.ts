import type Stripe from 'stripe';
import { paidTiers } from '../../billing/billing-processor.ts';
import type { Egress } from '../../egress/egress.ts';
import {
  type Check,
  type CheckResult,
  degraded,
  failing,
  passed,
  reasonOf,
} from '../../telemetry/diagnostics.ts';
import type { Settings } from '../settings.ts';
import { lazyStripe } from '../stripe-client.ts';

/** Whether Stripe accepts the key and knows the prices; none without a key. */
export function billingChecks({ mpp, billing }: Settings, egress: Egress): readonly Check[] {
  const { stripeKey: key, stripeBase: base } = mpp;
  if (key === undefined) return [];
  const client = lazyStripe({ egress, key, base });
  const prices = paidTiers.flatMap((tier) =>
    billing.prices[tier].slice(0, 1).map((price) => ({ tier, price })),
  );
  return [
    { name: 'billing', prepare: client, run: async () => checkKey(await client(), base) },
    ...prices.map(({ tier, price }) => ({
      name: `price of ${tier}`,
      run: async () => checkPrice(await client(), tier, price),
    })),
  ];
}

/** A key without permission to read balances is still a valid key. */
async function checkKey(client: Stripe, base: string): Promise<CheckResult> {
  try {
    await client.balance.retrieve();
  } catch (thrown) {
    const { statusCode } = Object(thrown);
    if (statusCode === 401)
      return failing('Stripe rejects the key (401)', 'check STRIPE_SECRET_KEY: it may have been rolled');
    if (statusCode === undefined) {
      const todo = `make ${base} reachable from here: check DNS, firewall and STRIPE_API_BASE`;
      return failing(`Stripe is unreachable (${reasonOf(thrown)})`, todo);
    }
    if (statusCode === 429 || statusCode >= 500)
      return degraded(`Stripe responds with ${statusCode}`, 'try again, or see status.stripe.com');
  }
  return passed('Stripe accepts the key');
}

async function checkPrice(client: Stripe, tier: string, price: string): Promise<CheckResult> {
  const todo = `set STRIPE_PRICE_${tier.toUpperCase()} to the id of a recurring price in the same mode as the key`;
  try {
    const { active, type } = await client.prices.retrieve(price);
    if (active === false) return failing(`the price ${price} of ${tier} is archived`, todo);
    if (type !== 'recurring') return failing(`the price ${price} of ${tier} is not recurring`, todo);
    return passed(`${tier} uses the price ${price}`);
  } catch (thrown) {
    if (Object(thrown).statusCode === 403)
      return degraded(
        `the key may not read the price ${price} of ${tier}`,
        'give the key read access to prices, or check the price yourself',
      );
    return failing(`the price ${price} of ${tier} cannot be read (${reasonOf(thrown)})`, todo);
  }
}
