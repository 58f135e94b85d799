import type Stripe from 'stripe';
import { paidTiers } from '../../billing/billing-processor.ts';
import type { Settings } from '../../gateway/settings.ts';
import { lazyStripe } from '../../gateway/stripe-client.ts';
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts';

/** The payment processor: whether it knows the key, and the prices that are sold. */
export async function stripeFindings({ mpp, billing }: Settings): Promise<readonly Finding[]> {
  const { stripeKey: key, stripeBase: base } = mpp;
  if (key === undefined) return [];
  const client = await lazyStripe({ key, base })();
  const [keyFinding, ...prices] = await Promise.all([
    findingOfKey(client, base),
    ...paidTiers.flatMap((tier) =>
      billing.prices[tier].slice(0, 1).map((price) => findingOfPrice(client, tier, price)),
    ),
  ]);
  return keyFinding.state === 'ok' ? [keyFinding, ...prices] : [keyFinding];
}

/** A key that may not read balances is one that Stripe knows. */
async function findingOfKey(client: Stripe, base: string): Promise<Finding> {
  try {
    await client.balance.retrieve();
  } catch (thrown) {
    const { statusCode } = Object(thrown);
    if (statusCode === 401)
      return fail('stripe', 'Stripe refuses the key (401)', 'see STRIPE_SECRET_KEY: it may have been rolled');
    if (statusCode === undefined) {
      const todo = `see that ${base} can be reached from here: name service, firewall, STRIPE_API_BASE`;
      return fail('stripe', `Stripe can't be reached (${reasonOf(thrown)})`, todo);
    }
    if (statusCode === 429 || statusCode >= 500)
      return warn('stripe', `Stripe answers ${statusCode}`, 'try again, or see status.stripe.com');
  }
  return ok('stripe', 'Stripe takes the key');
}

async function findingOfPrice(client: Stripe, tier: string, price: string): Promise<Finding> {
  const todo = `see STRIPE_PRICE_${tier.toUpperCase()}: the id of a price that recurs, of the same mode as the key`;
  try {
    const { active, type } = await client.prices.retrieve(price);
    if (active === false) return fail('stripe', `the price ${price} of ${tier} is archived`, todo);
    if (type !== 'recurring') return fail('stripe', `the price ${price} of ${tier} is paid once only`, todo);
    return ok('stripe', `${tier} is sold for ${price}`);
  } catch (thrown) {
    if (Object(thrown).statusCode === 403)
      return warn(
        'stripe',
        `the key may not read the price ${price} of ${tier}`,
        'let it read prices, or look yourself',
      );
    return fail('stripe', `the price ${price} of ${tier} can't be read (${reasonOf(thrown)})`, todo);
  }
}
