import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { freePort } from '../scripts/test-servers/server-process.ts';
import { at } from './support/at.ts';
import {
  type BillingGateway,
  billingSettings,
  Customer,
  deliverAll,
  startBilling,
} from './support/billing-gateway.ts';
import type { RawAnswer } from './support/call.ts';
import { startCloud } from './support/cloud.ts';
import { eventually } from './support/eventually.ts';
import { FakeStripe } from './support/fake-stripe.ts';
import { replicaSettings } from './support/replicas.ts';
import type { FakeEvent } from './support/stripe/fake-billing.ts';
import { emptyFolder, WeirProcess } from './support/weir-process.ts';

/** Until it is done, as a person does it with a page that says to try again. */
async function insist(ask: () => Promise<RawAnswer>): Promise<RawAnswer> {
  for (let tries = 0; tries < 5; tries++) {
    const answer = await ask();
    if (answer.status < 500) return answer;
  }
  throw new Error('it never works');
}

/** Until it is taken in, as the processor tells it. */
async function deliver({ url, stripe }: BillingGateway, events: readonly FakeEvent[]): Promise<void> {
  for (const event of events)
    assert.equal((await insist(() => stripe.billing.deliver(url, event))).status, 200, event.type);
}

/** Buys a tier and credits, some of which go back; resolves to all that the processor has to tell. */
async function buyAndReturn(customer: Customer, { stripe }: BillingGateway): Promise<readonly FakeEvent[]> {
  const { billing } = stripe;
  const paid = async (what: 'checkout' | 'credits', body: object) => {
    const { json, status, text } = await insist(() => customer.post(what, body));
    assert.equal(status, 200, text);
    return billing.pay(String(json.sessionId));
  };
  await paid('checkout', { tier: 'pro' });
  // Only paid accounts buy credits, and nobody has told the gateway yet.
  const first = billing.events.splice(0);
  await deliver({ url: customer.person.url, stripe, logLines: [] }, first);
  const kept = await paid('credits', { credits: 50_000 });
  const halved = await paid('credits', { credits: 70_000 });
  const lost = await paid('credits', { credits: 90_000 });
  billing.refund(String(halved.intent), 20);
  billing.refund(String(halved.intent), 15);
  billing.dispute(String(lost.intent));
  billing.change(customer.id, { status: 'past_due' });
  billing.change(customer.id, { status: 'active' });
  billing.change(customer.id, { price: 'price_team' });
  assert.notEqual(kept.intent, null);
  return [...first, ...billing.events.splice(0)];
}

async function standing(customer: Customer): Promise<unknown> {
  const { json } = await customer.get('balance');
  return [json.tier, json.credits];
}

describe('news of the processor', () => {
  test('comes twice, backwards and all at once, and leads to the same', async (t) => {
    const house = await startBilling(t);
    const orders: Readonly<Record<string, (events: readonly FakeEvent[]) => readonly FakeEvent[]>> = {
      forwards: (events) => events,
      'each twice': (events) => events.flatMap((event) => [event, event]),
      backwards: (events) => events.toReversed(),
      'backwards, each twice': (events) => events.flatMap((event) => [event, event]).toReversed(),
    };
    for (const [name, inOrder] of Object.entries(orders)) {
      const customer = await Customer.signUp(house);
      const events = await buyAndReturn(customer, house);
      await deliver(house, inOrder(events));
      assert.deepEqual(await standing(customer), ['team', 85_000], name);
      const sum = (await customer.ledger()).reduce((all: number, entry) => all + Number(at(entry, 1)), 0);
      assert.equal(sum, 85_000, name);
    }
    const customer = await Customer.signUp(house);
    const events = await buyAndReturn(customer, house);
    const answers = await Promise.all(
      [...events, ...events, ...events].map((event) => house.stripe.billing.deliver(house.url, event)),
    );
    await deliver(
      house,
      [...events, ...events, ...events].filter((_, number) => answers[number]?.status !== 200),
    );
    assert.deepEqual(await standing(customer), ['team', 85_000]);
  });
});

describe('a processor that fails', () => {
  test('at any one step, before or after it did it, loses and invents nothing', async (t) => {
    const house = await startBilling(t);
    const { stripe } = house;
    /** Resolves to what the processor was asked for. */
    const walk = async (customer: Customer): Promise<readonly string[]> => {
      const before = await customer.credits();
      const { json } = await insist(() => customer.post('checkout', { tier: 'team' }));
      stripe.billing.pay(String(json.sessionId));
      await deliver(house, stripe.billing.events.splice(0, 1));
      const frozen = await customer.credits();
      const bought = await insist(() => customer.post('credits', { credits: 90_000 }));
      const { intent } = stripe.billing.pay(String(bought.json.sessionId));
      stripe.billing.refund(String(intent), 5);
      stripe.billing.dispute(String(intent));
      stripe.billing.dispute(String(intent), 'won');
      await deliver(house, stripe.billing.events.splice(0));
      assert.deepEqual([before, await standing(customer)], [0, ['team', frozen + 85_000]]);
      stripe.billing.change(customer.id, { status: 'canceled' });
      await deliver(house, stripe.billing.events.splice(0));
      return stripe.requests.splice(0);
    };
    const returning = await Customer.signUp(house);
    await walk(returning);
    const steps = [...(await walk(await Customer.signUp(house))).entries()];
    assert.ok(steps.length > 10, `${steps}`);
    // What only reads does nothing that could be lost.
    for (const [step, name] of steps)
      for (const how of name.startsWith('GET') ? (['broken'] as const) : (['broken', 'lost'] as const)) {
        stripe.faultsAt.clear();
        stripe.faultsAt.set(step + 1, how);
        // Where a connection breaks, the SDK asks once more by itself.
        if (how === 'lost') stripe.faultsAt.set(step + 2, how);
        const customer = name === 'POST /v1/customers' ? await Customer.signUp(house) : returning;
        await walk(customer).catch((cause) => {
          throw new Error(`${name} ${how}`, { cause });
        });
      }
    assert.ok(house.logLines.every((line) => !line.includes('"bug"')));
  });
});

describe('two replicas', () => {
  test('take in each news once, share a tier from the next request on, one cap and one recharge', async (t) => {
    const stripe = await FakeStripe.start(t);
    const environment = {
      ...(await replicaSettings(t, { WEIR_TIER_FREE_LIMIT: '1', WEIR_TIER_PRO_LIMIT: '10' })),
      ...billingSettings(stripe),
    };
    const both = await Promise.all([startCloud(t, environment), startCloud(t, environment)]);
    const [one, other] = both.map(({ url }) => url);
    assert.ok(one !== undefined && other !== undefined);
    const urls = [one, other];
    const customer = await Customer.signUp({ url: one, stripe });
    const tellBoth = async () => {
      for (const event of stripe.billing.events.splice(0)) {
        const answers = await Promise.all(urls.map((url) => stripe.billing.deliver(url, event)));
        for (const [number, { status }] of answers.entries())
          if (status !== 200)
            assert.equal((await stripe.billing.deliver(String(urls[number]), event)).status, 200);
      }
    };
    assert.equal((await customer.ask(other)).status, 200);
    assert.equal((await customer.ask(other)).status, 429);
    await customer.pay('checkout', { tier: 'pro' });
    await deliverAll({ url: one, stripe });
    assert.equal((await customer.ask(other)).status, 200);

    await customer.pay('credits', { credits: 50_000 });
    await tellBoth();
    assert.equal(await customer.credits(), 50_000);
    assert.deepEqual(await customer.statusesOf(40, urls), { 200: 9, 429: 31 });
    await customer.put('overage', { enabled: true });
    assert.deepEqual(await customer.statusesOf(40, urls), { 200: 40 });
    await eventually(async () => ((await customer.credits()) === 49_000 ? true : undefined));

    await customer.put('auto-recharge', { enabled: true, threshold: 49_000, amount: 50_000 });
    assert.deepEqual(await customer.statusesOf(8, urls), { 200: 8 });
    await eventually(async () => ((await customer.credits()) === 98_800 ? true : undefined));
    await tellBoth();
    assert.equal(await customer.credits(), 98_800);
    assert.equal(stripe.billing.heldCents(), 100);
  });
});

describe('credits that run out', () => {
  test('let exactly as many calls through as they pay for, however many come at once', async (t) => {
    const house = await startBilling(t, { WEIR_TIER_PRO_LIMIT: '10' });
    const customer = await Customer.signUp(house);
    await customer.pay('checkout', { tier: 'pro' });
    await deliverAll(house);
    await customer.pay('credits', { credits: 50_000 });
    await deliverAll(house);
    await customer.put('overage', { enabled: true });
    house.stripe.billing.refund(String(house.stripe.billing.charges[0]?.id), 49);
    await deliverAll(house);
    assert.equal(await customer.credits(), 1000);
    assert.deepEqual(await customer.statusesOf(100), { 200: 50, 429: 50 });
    await eventually(async () => ((await customer.credits()) === 0 ? true : undefined));
    const capped = await customer.ask();
    assert.match(String(at(capped.json, 'error', 'message')), /no credits are left/);
  });
});

test('credits that were charged before a gateway was killed are there once, by its next start or by news', async (t) => {
  const stripe = await FakeStripe.start(t);
  const folder = emptyFolder(t);
  const environment = {
    WEIR_MODE: 'cloud',
    WEIR_DATA_DIR: folder,
    // The same each time, and nobody else gets it in between.
    PORT: String(await freePort()),
    ...billingSettings(stripe),
  };
  let running = new WeirProcess(t, { environment });
  const url = await running.listening;
  const customer = await Customer.signUp({ url, stripe });
  await customer.pay('checkout', { tier: 'pro' });
  await deliverAll({ url, stripe });
  const credits = (expected: number) =>
    eventually(async () => ((await customer.credits()) === expected ? true : undefined));
  for (const [kills, heals] of ['start', 'news'].entries()) {
    stripe.faults.push({ at: 'POST /v1/payment_intents', how: 'stuck' });
    const threshold = 50_000 * kills + 1;
    await customer.put('auto-recharge', { enabled: true, threshold, amount: 50_000 });
    await eventually(() => (stripe.billing.charges.length === kills + 1 ? true : undefined));
    await running.killAll();
    if (heals === 'start') {
      // As if the time was over in which somebody else would be at it.
      const database = new DatabaseSync(join(folder, 'weir.db'), { timeout: 10_000 });
      database.exec('update recharges set until_ms = 0');
      database.close();
    }
    running = new WeirProcess(t, { environment });
    await running.listening;
    if (heals === 'news') await deliverAll({ url, stripe });
    await credits(50_000 * (kills + 1));
    await deliverAll({ url, stripe });
    await credits(50_000 * (kills + 1));
    assert.equal(stripe.billing.heldCents(), 50 * (kills + 1));
  }
});
