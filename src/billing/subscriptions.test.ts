import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { someMember } from '../../test/conformance/database/samples.ts';
import { createBillingFixture } from '../../test/support/billing-fixture.ts';
import type { FakeSubscription } from '../../test/support/stripe/fake-objects.ts';
import { limits } from './limits.ts';
import { Subscriptions } from './subscriptions.ts';
import { effectiveTier } from './tiers.ts';

const day = 86_400;

/** What an account is on when the processor has such subscriptions. */
async function setUp(t: TestContext) {
  const { stripe, database, clock, account, customer, parts } = await createBillingFixture(t);
  const subscriptions = new Subscriptions({ ...parts, changeTier: (_account, _tier, apply) => apply() });
  const start = clock.now() / 1000;
  const has = (...given: readonly Partial<FakeSubscription>[]) => {
    const usual = {
      customer: customer.id,
      price: 'price_pro',
      status: 'active',
      start,
      end: start + 30 * day,
    };
    stripe.billing.subscriptions.splice(
      0,
      Number.POSITIVE_INFINITY,
      ...given.map((some, at) => ({ id: `sub_${at}`, cancelAt: null, method: null, ...usual, ...some })),
    );
  };
  const follow = async () => {
    await subscriptions.sync(customer.id);
    const now = await database.accounts.byId(account.id);
    assert.ok(now !== undefined);
    return now;
  };
  const tier = async () => effectiveTier(await follow(), clock.now());
  const { processor } = parts;
  return { database, processor, clock, account, subscriptions, start, has, follow, tier };
}

test('an account has the period of its subscription, as the processor moves it', async (t) => {
  const { start, has, follow } = await setUp(t);
  has({});
  const period = { startMs: start * 1000, endMs: (start + 30 * day) * 1000 };
  const { tier, period: first, tierEndsMs } = await follow();
  assert.deepEqual([tier, first, tierEndsMs], ['pro', period, undefined]);
  has({ start: start + 30 * day, end: start + 61 * day });
  assert.deepEqual((await follow()).period, { startMs: period.endMs, endMs: (start + 61 * day) * 1000 });
});

test('a tier lasts for seven days after a failed payment, however often the failure is reported, and begins anew with the next payment', async (t) => {
  const { clock, has, follow, tier } = await setUp(t);
  has({ status: 'past_due' });
  const failedMs = clock.now();
  assert.equal((await follow()).tierEndsMs, failedMs + limits.pastDueGraceMs);
  clock.move(limits.pastDueGraceMs - 1);
  assert.equal(await tier(), 'pro');
  clock.move(1);
  assert.equal(await tier(), 'free');
  has({ status: 'active' });
  assert.equal(await tier(), 'pro');
  has({ status: 'past_due' });
  assert.equal((await follow()).tierEndsMs, clock.now() + limits.pastDueGraceMs);
});

test('a subscription that was cancelled lasts until its period ends', async (t) => {
  const { clock, start, has, tier } = await setUp(t);
  has({ cancelAt: start + 30 * day });
  clock.move(30 * day * 1000 - 1);
  assert.equal(await tier(), 'pro');
  clock.move(1);
  assert.equal(await tier(), 'free');
});

test('of several subscriptions the best counts, and what is sold no more still does', async (t) => {
  const { has, tier } = await setUp(t);
  has({ price: 'price_pro_of_old' });
  assert.equal(await tier(), 'pro');
  has({}, { price: 'price_team' }, { price: 'price_team', status: 'canceled' });
  assert.equal(await tier(), 'team');
  has({}, { price: 'price_team', status: 'past_due' });
  assert.equal(await tier(), 'pro');
  for (const status of ['canceled', 'unpaid', 'incomplete', 'incomplete_expired', 'paused']) {
    has({ status });
    assert.equal(await tier(), 'free', status);
  }
  has({ price: 'price_of_something_else' });
  assert.equal(await tier(), 'free');
});

test('a tier that the operator gave stays where the processor has nothing to say', async (t) => {
  const { database, account, has, tier } = await setUp(t);
  await database.billing.setTier(account.id, 'team');
  has({ status: 'incomplete' });
  assert.equal(await tier(), 'team');
  has({});
  assert.equal(await tier(), 'pro');
});

test('differences from the processor are reported, and so are payments without a subscription', async (t) => {
  const { database, account, subscriptions, has, follow } = await setUp(t);
  const departures = async () => {
    const all = await subscriptions.findDiscrepancies(await database.billing.get(account.id));
    return all.map(({ description, canRepair }) => [
      description.replaceAll(/ until \S+?(?=,|$)/g, ''),
      canRepair,
    ]);
  };
  assert.deepEqual(await departures(), []);
  has({});
  assert.deepEqual(await departures(), [['pro, and by its subscriptions pro', true]]);
  await follow();
  assert.deepEqual(await departures(), []);
  has({}, { price: 'price_of_something_else' }, { status: 'canceled' });
  assert.deepEqual(await departures(), [
    ['pays for sub_1, whose price matches no tier', false],
    ['pays for sub_1 and sub_0 at once', false],
  ]);
});

test('recharging ends with the subscription', async (t) => {
  const { database, account, has, follow } = await setUp(t);
  has({});
  await follow();
  await database.billing.setAutoRecharge(account.id, {
    enabled: true,
    threshold: 1,
    amount: 50_000,
    reason: null,
  });
  await follow();
  assert.equal((await database.billing.get(account.id)).autoRecharge.enabled, true);
  has({ status: 'canceled' });
  await follow();
  const { enabled, reason } = (await database.billing.get(account.id)).autoRecharge;
  assert.deepEqual([enabled, reason], [false, 'the subscription has ended']);
});

test('a customer is recognised by the metadata at the processor, even if the process was killed before it stored the customer', async (t) => {
  const { database, processor, subscriptions, has } = await setUp(t);
  const member = someMember();
  await database.identities.add(member);
  const { account, identity } = member;
  const customer = await processor.createCustomer({ accountId: account.id, email: identity.email });
  has({ customer });
  await subscriptions.sync(customer);
  assert.equal((await database.billing.get(account.id)).customerId, customer);
  assert.equal((await database.accounts.byId(account.id))?.tier, 'pro');
  const stranger = await processor.createCustomer({ accountId: 'somebody of another service', email: '' });
  has({ customer: stranger });
  await subscriptions.sync(stranger);
  assert.equal(await database.billing.byCustomer(stranger), undefined);
});
