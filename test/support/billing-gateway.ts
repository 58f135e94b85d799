import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Environment } from '../../src/gateway/settings.ts';
import { at } from './at.ts';
import { call, type RawAnswer } from './call.ts';
import { bearer, Person, startCloud } from './cloud.ts';
import { FakeStripe } from './fake-stripe.ts';
import { type FakeEvent, webhookSecret } from './stripe/fake-billing.ts';

export const prices = { pro: 'price_pro', team: 'price_team' } as const;

/** What a gateway needs to sell subscriptions and credits. */
export function billingSettings(stripe: FakeStripe): Environment {
  return {
    STRIPE_SECRET_KEY: 'sk_test_123',
    STRIPE_API_BASE: stripe.url,
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    STRIPE_PRICE_PRO: prices.pro,
    STRIPE_PRICE_TEAM: prices.team,
  };
}

export interface BillingGateway {
  readonly url: string;
  readonly stripe: FakeStripe;
  readonly logLines: readonly string[];
}

export async function startBilling(t: TestContext, more: Environment = {}): Promise<BillingGateway> {
  const stripe = await FakeStripe.start(t);
  const { url, logLines } = await startCloud(t, { ...billingSettings(stripe), ...more });
  return { url, stripe, logLines };
}

const demo = { model: 'demo-1', max_tokens: 1, messages: [{ role: 'user', content: 'Hello' }] };

/** Somebody who pays, and the processor that they pay with. */
export class Customer {
  readonly person: Person;
  readonly key: string;
  readonly #stripe: FakeStripe;

  static async signUp({ url, stripe }: Pick<BillingGateway, 'url' | 'stripe'>): Promise<Customer> {
    const person = await Person.signUp(url);
    return new Customer(person, (await person.makeKey()).key, stripe);
  }

  private constructor(person: Person, key: string, stripe: FakeStripe) {
    this.person = person;
    this.key = key;
    this.#stripe = stripe;
  }

  /** Their id with the processor. */
  get id(): string {
    const { customers } = this.#stripe.billing;
    const customer = customers.find(({ metadata }) => metadata.weir_account === this.person.id);
    assert.ok(customer !== undefined, 'no customer yet');
    return customer.id;
  }

  ask(url = this.person.url): Promise<RawAnswer> {
    return call(url, { path: '/v1/messages', headers: bearer(this.key), body: demo });
  }

  async statusesOf(calls: number, urls: readonly string[] = [this.person.url]): Promise<object> {
    const answers = await Promise.all(
      Array.from({ length: calls }, (_, number) => this.ask(String(urls[number % urls.length]))),
    );
    const counts: Record<string, number> = {};
    for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  }

  async post(what: string, body: object): Promise<RawAnswer> {
    return this.person.call({ path: `/v1/billing/${what}`, body });
  }

  async put(what: string, body: object): Promise<RawAnswer> {
    return this.person.call({ method: 'PUT', path: `/v1/billing/${what}`, body });
  }

  async get(what: 'balance' | 'usage'): Promise<RawAnswer> {
    return this.person.call({ path: `/v1/billing/${what}` });
  }

  async credits(): Promise<number> {
    const { json } = await this.get('balance');
    return Number(json.credits);
  }

  /** Goes to a checkout and pays there; nobody tells the gateway yet. */
  async pay(what: 'checkout' | 'credits', body: object): Promise<void> {
    const { status, json, text } = await this.post(what, body);
    assert.equal(status, 200, text);
    this.#stripe.billing.pay(String(json.sessionId));
  }

  /** What the ledger says, the oldest first. */
  async ledger(): Promise<readonly unknown[]> {
    const { json } = await this.get('usage');
    const { entries } = json;
    assert.ok(Array.isArray(entries), JSON.stringify(json));
    return entries.toReversed().map((entry) => [at(entry, 'kind'), at(entry, 'credits')]);
  }
}

/** Tells a gateway everything that it wasn't told, and expects it to take it in. */
export async function deliverAll({
  url,
  stripe,
}: Pick<BillingGateway, 'url' | 'stripe'>): Promise<readonly FakeEvent[]> {
  const events = stripe.billing.events.splice(0);
  for (const event of events) {
    const { status, text } = await stripe.billing.deliver(url, event);
    assert.equal(status, 200, `${event.type}: ${text}`);
  }
  return events;
}
