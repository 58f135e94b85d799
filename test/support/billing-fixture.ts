import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import Stripe from 'stripe';
import { StripeBilling } from '../../src/billing/stripe/stripe-billing.ts';
import { MemorySharedState } from '../../src/storage/memory/memory-shared-state.ts';
import { openEmptyDatabase } from '../../src/testing/empty-database.ts';
import { someMember } from '../conformance/database/samples.ts';
import { FakeStripe } from './fake-stripe.ts';
import { ManualClock } from './manual-clock.ts';
import { emptyFolder } from './weir-process.ts';

/** An account that is a customer, on a real database and with a clock that stands still. */
export async function createBillingFixture(t: TestContext) {
  const stripe = await FakeStripe.start(t);
  const database = await openEmptyDatabase(emptyFolder(t));
  t.after(() => database.close());
  const client = stripeClientFor(stripe.url);
  const prices = { pro: ['price_pro', 'price_pro_of_old'], team: ['price_team'] };
  const processor = new StripeBilling({ client: async () => client, webhookSecret: undefined, prices });
  const clock = new ManualClock();
  const member = someMember({ tier: 'pro' });
  await database.identities.add(member);
  const { account, identity } = member;
  const customerId = await processor.createCustomer({ accountId: account.id, email: identity.email });
  await database.billing.linkCustomer(account.id, customerId);
  const [customer] = stripe.billing.customers;
  assert.ok(customer !== undefined);
  const { versions } = new MemorySharedState(clock);
  return { stripe, database, clock, account, customer, parts: { ...database, versions, processor, clock } };
}

export function stripeClientFor(url: string): Stripe {
  const { hostname, port } = new URL(url);
  return new Stripe('sk_test_1', {
    host: hostname,
    port: Number(port),
    protocol: 'http',
    maxNetworkRetries: 0,
    telemetry: false,
  });
}
