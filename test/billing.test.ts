import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertError } from './support/assert-error.ts';
import { at } from './support/at.ts';
import { billingSettings, Customer, deliverAll, prices, startBilling } from './support/billing-gateway.ts';
import { call } from './support/call.ts';
import { bearer, Person, startCloud } from './support/cloud.ts';
import { eventually } from './support/eventually.ts';
import { FakeStripe } from './support/fake-stripe.ts';

const free = { tier: 'free', credits: 0, currentPeriodEnd: null, autoRechargeEnabled: false };

test('a person signs up, pays, uses credits, runs out of luck, leaves, and is free again', async (t) => {
  const house = await startBilling(t, { WEIR_TIER_FREE_LIMIT: '2', WEIR_TIER_PRO_LIMIT: '3' });
  const { stripe, url } = house;
  const customer = await Customer.signUp(house);
  assert.deepEqual((await customer.get('balance')).json, { ...free, upgradeUrl: `${url}/billing/start` });

  assert.deepEqual(await customer.statusesOf(2), { 200: 2 });
  const capped = await customer.ask();
  assert.equal(capped.status, 429);
  assert.equal(at(capped.json, 'error', 'code'), 'tier_cap_reached');
  assert.equal(at(capped.json, 'error', 'upgrade_url'), `${url}/billing/start`);

  await customer.pay('checkout', { tier: 'pro' });
  const [session] = stripe.billing.sessions;
  assert.equal(session?.price, prices.pro);
  assert.deepEqual(
    [session?.successUrl, session?.cancelUrl],
    [`${url}/billing/welcome`, `${url}/billing/start`],
  );
  assert.equal((await customer.ask()).status, 429);
  await deliverAll(house);
  assert.equal((await customer.ask()).status, 200);
  const [subscription] = stripe.billing.subscriptions;
  assert.deepEqual((await customer.get('balance')).json, {
    tier: 'pro',
    credits: 0,
    currentPeriodEnd: new Date(Number(subscription?.end) * 1000).toISOString(),
    autoRechargeEnabled: false,
    autoRechargeThreshold: 100_000,
    autoRechargeAmount: 500_000,
    upgradeUrl: null,
  });
  assertError(await customer.post('checkout', { tier: 'team' }), {
    status: 409,
    type: 'invalid_request',
    code: 'already_subscribed',
  });

  await customer.pay('credits', { credits: 50_000 });
  await deliverAll(house);
  assert.equal(await customer.credits(), 50_000);
  assert.deepEqual(await customer.statusesOf(3), { 200: 2, 429: 1 });
  assert.equal((await customer.put('overage', { enabled: true })).status, 200);
  assert.deepEqual(await customer.statusesOf(10), { 200: 10 });
  await eventually(async () => ((await customer.credits()) === 50_000 - 250 ? true : undefined));

  // Far below the threshold: one recharge brings it above, and no second follows.
  const recharge = { enabled: true, threshold: 60_000, amount: 100_000 };
  assert.deepEqual((await customer.put('auto-recharge', recharge)).json, { ...recharge, reason: null });
  await eventually(async () => ((await customer.credits()) === 149_750 ? true : undefined));
  await deliverAll(house);
  assert.equal(await customer.credits(), 149_750);

  stripe.billing.declineCode = 'card_declined';
  await customer.put('auto-recharge', { enabled: true, threshold: 200_000 });
  const declined = await eventually(async () => {
    const { json } = await customer.get('usage');
    return at(json, 'autoRecharge', 'reason') === null ? undefined : json.autoRecharge;
  });
  assert.deepEqual(declined, {
    enabled: false,
    threshold: 200_000,
    amount: 100_000,
    reason: 'the card was declined (card_declined)',
  });
  await deliverAll(house);
  assert.equal((await customer.get('balance')).json.autoRechargeEnabled, false);

  const portal = await customer.post('portal', { returnUrl: 'https://app.example/account' });
  assert.equal(portal.status, 200, portal.text);
  assert.equal(portal.json.url, `https://portal.example/${customer.id}?back=https://app.example/account`);
  stripe.billing.change(customer.id, { cancelAt: Number(subscription?.end) });
  await deliverAll(house);
  assert.equal((await customer.get('balance')).json.tier, 'pro');
  assert.equal((await customer.ask()).status, 200);
  stripe.billing.change(customer.id, { status: 'canceled' });
  await deliverAll(house);
  // The month knows of the two calls from before.
  assert.equal((await customer.ask()).status, 429);
  assert.deepEqual((await customer.get('balance')).json, { ...free, upgradeUrl: `${url}/billing/start` });
  const ledger = await eventually(async () => {
    const entries = await customer.ledger();
    return entries.length > 3 ? entries : undefined;
  });
  assert.deepEqual(ledger, [
    ['purchase', 50_000],
    ['overage', -250],
    ['purchase', 100_000],
    ['overage', -25],
  ]);

  await customer.pay('checkout', { tier: 'team' });
  await deliverAll(house);
  const { json } = await customer.get('balance');
  assert.deepEqual([json.tier, json.credits], ['team', 149_725]);
});

describe('a subscription', () => {
  test('that is past due keeps its tier for seven days, and has it back when it is paid', async (t) => {
    const house = await startBilling(t);
    const customer = await Customer.signUp(house);
    await customer.pay('checkout', { tier: 'team' });
    house.stripe.billing.change(customer.id, { status: 'past_due' });
    await deliverAll(house);
    const tier = async () => (await customer.get('balance')).json.tier;
    assert.equal(await tier(), 'team');
    house.stripe.billing.change(customer.id, { status: 'unpaid' });
    await deliverAll(house);
    assert.equal(await tier(), 'free');
    house.stripe.billing.change(customer.id, { status: 'active', price: prices.pro });
    await deliverAll(house);
    assert.equal(await tier(), 'pro');
  });

  test('that ends at a moment is over then, whether or not there is news of it', async (t) => {
    const house = await startBilling(t);
    const customer = await Customer.signUp(house);
    await customer.pay('checkout', { tier: 'pro' });
    const seconds = Math.floor(Date.now() / 1000);
    house.stripe.billing.change(customer.id, { cancelAt: seconds - 1, end: seconds - 1 });
    await deliverAll(house);
    assert.equal((await customer.get('balance')).json.tier, 'free');
    assert.equal(at((await customer.person.call({ path: '/v1/users/me' })).json, 'tier'), 'free');
  });
});

test('a customer that was deleted at the processor is free, and can become one again', async (t) => {
  const house = await startBilling(t);
  const { billing } = house.stripe;
  const customer = await Customer.signUp(house);
  await customer.pay('checkout', { tier: 'pro' });
  await deliverAll(house);
  billing.change(customer.id, { status: 'canceled' });
  billing.customers.length = 0;
  await deliverAll(house);
  assert.equal((await customer.get('balance')).json.tier, 'free');
  await customer.pay('checkout', { tier: 'team' });
  await deliverAll(house);
  assert.equal((await customer.get('balance')).json.tier, 'team');
  assert.equal(billing.customers.length, 1);
});

describe('a payment that went back', () => {
  test('takes its credits along, to no less than nothing, and says so', async (t) => {
    const house = await startBilling(t, { WEIR_TIER_PRO_LIMIT: '0' });
    const { billing } = house.stripe;
    const customer = await Customer.signUp(house);
    await customer.pay('checkout', { tier: 'pro' });
    await deliverAll(house);
    await customer.pay('credits', { credits: 50_000 });
    await deliverAll(house);
    await customer.put('overage', { enabled: true });
    assert.deepEqual(await customer.statusesOf(4), { 200: 4 });
    await eventually(async () => ((await customer.credits()) === 49_900 ? true : undefined));
    const [charge] = billing.charges;
    assert.ok(charge !== undefined);
    billing.refund(charge.id, 20);
    await deliverAll(house);
    assert.equal(await customer.credits(), 29_900);
    billing.dispute(charge.id);
    await deliverAll(house);
    assert.equal(await customer.credits(), 0);
    assert.equal((await customer.ask()).status, 429);
    const { json } = await customer.get('usage');
    assert.ok(Array.isArray(json.entries));
    assert.equal(at(json.entries[0], 'note'), '100 of 30000 credits had been spent already');
    billing.dispute(charge.id, 'won');
    await deliverAll(house);
    assert.equal(await customer.credits(), 29_900);
    assert.equal((await customer.ask()).status, 200);
  });
});

describe('billing refuses', () => {
  test('API keys, wrong bodies and addresses that are none, in that order', async (t) => {
    const house = await startBilling(t);
    const customer = await Customer.signUp(house);
    for (const path of ['checkout', 'portal', 'credits'])
      assertError(
        await call(house.url, { path: `/v1/billing/${path}`, headers: bearer(customer.key), body: {} }),
        { status: 401, type: 'authentication_error' },
      );
    const wrong: readonly (readonly [string, object])[] = [
      ['checkout', {}],
      ['checkout', { tier: 'free' }],
      ['checkout', { tier: 'pro', successUrl: 'javascript:alert(1)' }],
      ['checkout', { tier: 'pro', successUrl: 'https://shop.example/\r\nset-cookie: a=b' }],
      ['checkout', { tier: 'pro', cancelUrl: 'https://shop.example/\u0000' }],
      ['portal', { returnUrl: 'https://shop.example/\ta' }],
      ['checkout', { tier: 'pro', cancelUrl: '//evil.example' }],
      ['checkout', { tier: 'pro', cancelUrl: 'https://user:pw@evil.example' }],
      ['checkout', { tier: 'pro', more: 1 }],
      ['portal', {}],
      ['portal', { returnUrl: 'ftp://files.example' }],
      ['credits', { credits: 49_000 }],
      ['credits', { credits: 50_001 }],
      ['credits', { credits: 2e9 }],
    ];
    for (const [what, body] of wrong)
      assertError(await customer.post(what, body), {
        status: 400,
        type: 'invalid_request',
        code: 'invalid_request',
      });
    assert.equal((await customer.put('auto-recharge', { enabled: true, amount: 10 })).status, 400);
    assert.equal((await customer.put('overage', { enabled: 'yes' })).status, 400);
    assert.deepEqual(house.stripe.requests, []);
  });

  test('free accounts what only credits are for', async (t) => {
    const house = await startBilling(t);
    const customer = await Customer.signUp(house);
    const refused = [
      await customer.post('credits', { credits: 50_000 }),
      await customer.put('overage', { enabled: true }),
      await customer.put('auto-recharge', { enabled: true }),
    ];
    for (const answer of refused)
      assertError(answer, { status: 403, type: 'permission_error', code: 'paid_tier_required' });
    assert.equal((await customer.put('auto-recharge', { enabled: false })).status, 200);
  });

  test('what it has no processor for, and says of what', async (t) => {
    const { url } = await startCloud(t);
    const person = await Person.signUp(url);
    const asked: readonly (readonly [string, string, object])[] = [
      ['POST', 'checkout', { tier: 'pro' }],
      ['POST', 'portal', { returnUrl: 'https://app.example' }],
      ['POST', 'credits', { credits: 50_000 }],
      ['PUT', 'auto-recharge', { enabled: false }],
    ];
    for (const [method, what, body] of asked) {
      const answer = await person.call({ method, path: `/v1/billing/${what}`, body });
      assertError(answer, { status: 503, type: 'internal_error' });
      assert.equal(at(answer.json, 'error', 'detail'), `billing_not_configured:${what}`);
    }
    assertError(await person.call({ path: '/v1/billing/checkout', body: {} }), {
      status: 400,
      type: 'invalid_request',
    });
    assertError(await call(url, { path: '/webhooks/stripe', body: {} }), {
      status: 503,
      type: 'internal_error',
    });
    assert.equal((await person.call({ path: '/v1/billing/balance' })).status, 200);
  });

  test('news that the processor did not sign, or signed too long ago', async (t) => {
    const { url, stripe } = await startBilling(t);
    const event = { id: 'evt_1', type: 'invoice.paid', object: { customer: 'cus_1' } };
    const { billing } = stripe;
    const answers = [
      await billing.deliver(url, event, { secret: 'whsec_of_somebody_else' }),
      await billing.deliver(url, event, { ageSeconds: 301 }),
      await call(url, { path: '/webhooks/stripe', body: event }),
    ];
    for (const answer of answers)
      assertError(answer, { status: 400, type: 'invalid_request', code: 'invalid_signature' });
    assert.deepEqual(stripe.requests, []);
    const unknown = { id: 'evt_2', type: 'radar.early_fraud_warning.created', object: { id: 'issfr_1' } };
    assert.equal((await billing.deliver(url, unknown)).status, 200);
  });

  test('a second checkout that could be paid beside the first', async (t) => {
    const house = await startBilling(t);
    const customer = await Customer.signUp(house);
    const first = await customer.post('checkout', { tier: 'pro' });
    const second = await customer.post('checkout', { tier: 'team' });
    assert.deepEqual([first.status, second.status], [200, 200]);
    assert.throws(() => house.stripe.billing.pay(String(first.json.sessionId)), /expired/);
    house.stripe.billing.pay(String(second.json.sessionId));
    // Before there is any news of it.
    assert.equal((await customer.post('checkout', { tier: 'pro' })).status, 409);
    assert.equal((await customer.get('balance')).json.tier, 'team');
    assert.equal(house.stripe.billing.customers.length, 1);
  });
});

test('the pages of a checkout run nothing, load nothing and repeat nothing', async (t) => {
  const stripe = await FakeStripe.start(t);
  const { url } = await startCloud(t, { ...billingSettings(stripe), WEIR_TIER_PRO_LIMIT: '12345' });
  for (const page of ['welcome', 'start']) {
    const { status, headers, text } = await call(url, { path: `/billing/${page}?next=https://evil.example` });
    assert.equal(status, 200);
    assert.match(String(headers['content-type']), /^text\/html/);
    assert.match(
      String(headers['content-security-policy']),
      /^default-src 'none'; style-src 'sha256-[^']+';/,
    );
    assert.doesNotMatch(text, /evil|<script|href="(?!\.\.\/)/);
  }
  assert.match((await call(url, { path: '/billing/start' })).text, /12,345 requests a month/);
});
