import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import Stripe from 'stripe';
import { Secret } from '../src/lib/secret.ts';
import { limits } from '../src/payments/limits.ts';
import { PaymentCollector } from '../src/payments/payment-collector.ts';
import { StripeProcessor } from '../src/payments/stripe-processor.ts';
import { openEmptyDatabase } from '../src/testing/empty-database.ts';
import { someSettlement } from './conformance/database/samples.ts';
import { cleanUp } from './support/clean-up.ts';
import { FakeStripe } from './support/fake-stripe.ts';
import { settlementStatuses } from './support/paid-gateway.ts';
import { emptyFolder } from './support/weir-process.ts';

async function startBooks(t: TestContext) {
  const stripe = await FakeStripe.start(t);
  const { hostname, port } = new URL(stripe.url);
  const sdk = new Stripe('sk_test_1', { host: hostname, port, protocol: 'http', maxNetworkRetries: 0 });
  const processor = new StripeProcessor(async () => sdk);
  const database = await openEmptyDatabase(emptyFolder(t));
  cleanUp(t, () => database.close());
  const { challenges, settlements } = database;
  const faults: unknown[] = [];
  /** Looks once for payments that were left, so much later. */
  const sweep = async (laterMs: number) => {
    const clock = { now: () => Date.now() + laterMs };
    const onFault = (cause: unknown) => void faults.push(cause);
    const paymentCollector = new PaymentCollector({ challenges, settlements, processor, clock, onFault });
    paymentCollector.start();
    await paymentCollector.close();
  };
  const left = someSettlement({ atMs: Date.now(), untilMs: 0 });
  await settlements.open(left);
  return { stripe, processor, settlements, sweep, left, faults };
}

test('a payment that the processor does not know of yet is looked for again, and given back when it is there', async (t) => {
  const { stripe, processor, settlements, sweep, left } = await startBooks(t);
  await sweep(0);
  assert.equal(await settlements.outcome(left.id), null);
  await processor.hold({ id: left.id, token: new Secret(stripe.grant()) });
  await processor.hold({ id: 'mpp_another.1', token: new Secret(stripe.grant()) });
  await sweep(limits.settlementLeaseMs + 1);
  assert.equal(await settlements.outcome(left.id), 'cancelled');
  assert.deepEqual(settlementStatuses({ stripe }), ['canceled', 'requires_capture']);
});

test('a payment that the processor never knew of is over after a while', async (t) => {
  const { settlements, sweep, left } = await startBooks(t);
  await sweep(limits.settlementUnknownMs - 60_000);
  assert.equal(await settlements.outcome(left.id), null);
  await sweep(limits.settlementUnknownMs + 1);
  assert.equal(await settlements.outcome(left.id), 'cancelled');
});

test('a payment is given back by whoever comes next where the processor fails, and once', async (t) => {
  const { stripe, processor, settlements, sweep, left, faults } = await startBooks(t);
  const paymentHoldResult = await processor.hold({ id: left.id, token: new Secret(stripe.grant()) });
  assert.ok(paymentHoldResult.outcome === 'held');
  await processor.capture(paymentHoldResult.intent);
  stripe.faults.push({ at: 'GET /v1/payment_intents?', how: 'broken' });
  await sweep(0);
  assert.equal(faults.length, 1);
  // Done, and never heard of: it is asked for again, and told that it was done.
  stripe.faults.push({ at: '/v1/refunds', how: 'lost' }, { at: '/v1/refunds', how: 'broken' });
  await sweep(limits.settlementLeaseMs + 1);
  assert.deepEqual(
    [settlementStatuses({ stripe }), await settlements.outcome(left.id)],
    [['refunded'], null],
  );
  await sweep(2 * limits.settlementLeaseMs + 2);
  assert.equal(await settlements.outcome(left.id), 'refunded');
});

test('a refusal that says nothing of the try before it leaves the payment unknown', async (t) => {
  const { stripe, processor } = await startBooks(t);
  const hold = (id: string) => processor.hold({ id, token: new Secret(stripe.grant()) });
  const at = 'POST /v1/payment_intents';
  stripe.faults.push({ at, how: 'busy' });
  assert.equal((await hold('mpp_1.1')).outcome, 'declined');
  // Done and lost, twice over, since the SDK asks once more by itself; then there were too many requests.
  stripe.faults.push({ at, how: 'lost' }, { at, how: 'lost' }, { at, how: 'busy' }, { at, how: 'busy' });
  assert.equal((await hold('mpp_2.1')).outcome, 'unknown');
  stripe.faults.push({ at, how: 'broken' }, { at, how: 'declined' });
  assert.equal((await hold('mpp_3.1')).outcome, 'declined');
  stripe.faults.push({ at, how: 'lost' }, { at, how: 'lost' }, { at, how: 'busy' });
  assert.equal((await hold('mpp_4.1')).outcome, 'held');
  assert.deepEqual(settlementStatuses({ stripe }), ['requires_capture', 'requires_capture']);
});
