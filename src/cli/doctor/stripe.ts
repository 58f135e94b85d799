import type Stripe from 'stripe';
import { paidTiers } from '../../billing/billing-processor.ts';
import type { Egress } from '../../egress/egress.ts';
import type { Settings } from '../../gateway/settings.ts';
import { lazyStripe } from '../../gateway/stripe-client.ts';
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts';

/** Checks that Stripe accepts the key and knows the prices. */
export async function stripeFindings(
  { mpp, billing }: Settings,
  egress: Egress,
): Promise<readonly Finding[]> {
  const { stripeKey: key, stripeBase: base } = mpp;
  if (key === undefined) return [];
  const client = await lazyStripe({ egress, key, base })();
  const [keyFinding, ...prices] = await Promise.all([
    findingOfKey(client, base),
    ...paidTiers.flatMap((tier) =>
      billing.prices[tier].slice(0, 1).map((price) => findingOfPrice(client, tier, price)),
    ),
  ]);
  return keyFinding.state === 'ok' ? [keyFinding, ...prices] : [keyFinding];
}

/** A key without permission to read balances is still a valid key. */
async function findingOfKey(client: Stripe, base: string): Promise<Finding> {
  try {
    await client.balance.retrieve();
  } catch (thrown) {
    const { statusCode } = Object(thrown);
    if (statusCode === 401)
      return fail(
        'stripe',
        'Stripe rejects the key (401)',
        'check STRIPE_SECRET_KEY: it may have been rolled',
      );
    if (statusCode === undefined) {
      const todo = `make ${base} reachable from here: check DNS, firewall and STRIPE_API_BASE`;
      return fail('stripe', `Stripe is unreachable (${reasonOf(thrown)})`, todo);
    }
    if (statusCode === 429 || statusCode >= 500)
      return warn('stripe', `Stripe responds with ${statusCode}`, 'try again, or see status.stripe.com');
  }
  return ok('stripe', 'Stripe accepts the key');
}

async function findingOfPrice(client: Stripe, tier: string, price: string): Promise<Finding> {
  const todo = `set STRIPE_PRICE_${tier.toUpperCase()} to the id of a recurring price in the same mode as the key`;
  try {
    const { active, type } = await client.prices.retrieve(price);
    if (active === false) return fail('stripe', `the price ${price} of ${tier} is archived`, todo);
    if (type !== 'recurring') return fail('stripe', `the price ${price} of ${tier} is not recurring`, todo);
    return ok('stripe', `${tier} uses the price ${price}`);
  } catch (thrown) {
    if (Object(thrown).statusCode === 403)
      return warn(
        'stripe',
        `the key may not read the price ${price} of ${tier}`,
        'give the key read access to prices, or check the price yourself',
      );
    return fail('stripe', `the price ${price} of ${tier} cannot be read (${reasonOf(thrown)})`, todo);
  }
}
