import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createBillingFixture } from '../../test/support/billing-fixture.ts';
import type { FakeStripe } from '../../test/support/fake-stripe.ts';
import { limits as serverLimits } from '../server/limits.ts';
import { CreditPurchases } from './credit-purchases.ts';
import { limits } from './limits.ts';
import { Recharger } from './recharger.ts';

const amount = 50_000;

/** An account on a paid tier that wants credits, and has none. */
async function setUp(t: TestContext) {
  const { stripe, database, clock, account, customer, parts: common } = await createBillingFixture(t);
  const faults: unknown[] = [];
  const parts = { ...common, onFault: (cause: unknown) => faults.push(cause) };
  const recharger = new Recharger({ ...parts, purchases: new CreditPurchases(parts) });
  customer.method = 'pm_1';
  const want = (threshold: number, enabled = true) =>
    database.billing.setAutoRecharge(account.id, { enabled, threshold, amount, reason: null });
  await want(1);
  return {
    stripe,
    clock,
    recharger,
    customer,
    faults,
    want,
    look: () => recharger.rechargeIfDue(account.id),
    credits: () => database.credits.balance(account.id),
    autoRecharge: async () => (await database.billing.get(account.id)).autoRecharge,
    charges: () => stripe.count('POST /v1/payment_intents'),
  };
}

/** The SDK asks by itself once more where a connection broke, under the same name. */
function losesCharge(stripe: FakeStripe, how: 'lost' | 'broken'): void {
  const at = 'POST /v1/payment_intents';
  stripe.faults.push({ at, how }, ...(how === 'lost' ? [{ at, how }] : []));
}

test('credits are bought when fewer are left than wanted, once', async (t) => {
  const { recharger, look, credits, charges } = await setUp(t);
  await Promise.all([look(), look(), recharger.sweep()]);
  assert.deepEqual([await credits(), charges()], [amount, 1]);
  await look();
  await recharger.sweep();
  assert.deepEqual([await credits(), charges()], [amount, 1]);
});

test('five times in a day, and then not before the first is a day ago', async (t) => {
  const { clock, want, recharger, look, charges } = await setUp(t);
  await want(serverLimits.creditsBoughtMax);
  for (let times = 0; times < 8; times++) {
    await look();
    clock.move(60_000);
  }
  assert.equal(charges(), 5);
  await recharger.sweep();
  assert.equal(charges(), 5);
  clock.move(limits.rechargeWindowMs - 7 * 60_000);
  await recharger.sweep();
  assert.equal(charges(), 6);
});

test('a processor that does not answer is asked again later and later', async (t) => {
  const { stripe, clock, recharger, look, credits, faults } = await setUp(t);
  const asked = async () => {
    stripe.requests.length = 0;
    stripe.faults.push({ at: 'GET /v1/subscriptions', how: 'broken' });
    await look();
    await recharger.sweep();
    stripe.faults.length = 0;
    return stripe.requests.length;
  };
  assert.equal(await asked(), 1);
  assert.equal(await asked(), 0);
  clock.move(limits.rechargePauseMs);
  assert.equal(await asked(), 1);
  clock.move(limits.rechargePauseMs);
  assert.equal(await asked(), 0);
  assert.equal(faults.length, 2);
  clock.move(limits.rechargePauseMs);
  await recharger.sweep();
  assert.equal(await credits(), amount);
});

test('a charge without an answer is asked for again under its own name, and made once', async (t) => {
  for (const how of ['lost', 'broken'] as const) {
    const { stripe, clock, recharger, look, credits, charges } = await setUp(t);
    losesCharge(stripe, how);
    await look();
    assert.equal(await credits(), 0);
    const asked = charges();
    await recharger.sweep();
    await look();
    assert.equal(charges(), asked);
    clock.move(limits.rechargePauseMs);
    await recharger.sweep();
    assert.deepEqual([await credits(), stripe.billing.charges.length], [amount, 1], how);
  }
});

test('a charge that is no longer wanted is looked up, and not made', async (t) => {
  for (const how of ['lost', 'broken'] as const) {
    const { stripe, clock, recharger, want, look, credits, charges } = await setUp(t);
    losesCharge(stripe, how);
    await look();
    const asked = charges();
    await want(1, false);
    clock.move(limits.rechargePauseMs);
    await recharger.sweep();
    assert.deepEqual([await credits(), charges()], [how === 'lost' ? amount : 0, asked], how);
  }
});

test('a charge that was made longer ago than names are remembered is found', async (t) => {
  const { stripe, clock, recharger, look, credits, charges } = await setUp(t);
  // The processor's own clock says when it was made.
  clock.move(Date.now() - clock.now());
  losesCharge(stripe, 'lost');
  await look();
  const asked = charges();
  clock.move(limits.rechargeKeyLifeMs);
  await recharger.sweep();
  assert.deepEqual([await credits(), charges()], [amount, asked]);
});

test('a decline, and a card that is not there, switch it off and say why', async (t) => {
  const { stripe, clock, customer, recharger, want, look, autoRecharge, charges } = await setUp(t);
  stripe.billing.declineCode = 'insufficient_funds';
  await look();
  assert.deepEqual(await autoRecharge(), {
    enabled: false,
    threshold: 1,
    amount,
    reason: 'the card was declined (insufficient_funds)',
  });
  clock.move(limits.rechargePauseMsMax);
  await recharger.sweep();
  assert.equal(charges(), 1);
  stripe.billing.declineCode = undefined;
  customer.method = null;
  await want(1);
  await look();
  const { enabled, reason } = await autoRecharge();
  assert.deepEqual([enabled, reason, charges()], [false, 'no payment method is saved', 1]);
});

test('a key of the operator that is refused is no fault of the card', async (t) => {
  const { stripe, look, autoRecharge, faults } = await setUp(t);
  stripe.faults.push({ at: 'POST /v1/payment_intents', how: 'unauthorized' });
  await look();
  assert.equal((await autoRecharge()).enabled, true);
  assert.equal(faults.length, 1);
});
