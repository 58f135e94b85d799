import Stripe from 'stripe';
import { call, type RawAnswer } from '../call.ts';
import {
  type FakeCharge,
  type FakeCustomer,
  type FakeInvoice,
  type FakeSession,
  type FakeSubscription,
  shownCharge,
  shownCustomer,
  shownInvoice,
  shownSession,
  shownSubscription,
} from './fake-objects.ts';

export interface FakeEvent {
  readonly id: string;
  readonly type: string;
  readonly object: object;
}

/** The parts of a request that the fake uses. */
interface StripeRequest {
  readonly method: string;
  readonly path: readonly (string | undefined)[];
  readonly params: URLSearchParams;
  readonly query: URLSearchParams;
}

interface StripeResponse {
  readonly status: number;
  readonly body: string;
}

export const webhookSecret = 'whsec_of_the_tests';
const signer = new Stripe('sk_test_signer');
const daySeconds = 86_400;

/** Customers, checkouts, subscriptions, portal and charges; and what people, banks and time do to them. */
export class FakeBilling {
  readonly customers: FakeCustomer[] = [];
  readonly sessions: FakeSession[] = [];
  readonly subscriptions: FakeSubscription[] = [];
  readonly charges: FakeCharge[] = [];
  /** The oldest first. */
  readonly invoices: FakeInvoice[] = [];
  /** All that happened, in order; whoever runs the test delivers it. */
  readonly events: FakeEvent[] = [];
  /** Cards refuse while this is set, with this code. */
  declineCode: string | undefined;
  #made = 0;

  /** Undefined where it is none of this. */
  answer({ method, path, params, query }: StripeRequest): StripeResponse | undefined {
    const [kind, id, action] = path;
    const isPost = method === 'POST';
    if (kind === 'customers' && id === undefined) return ok(shownCustomer(this.#newCustomer(params)));
    if (kind === 'customers' && action === 'payment_methods') return list([]);
    if (kind === 'customers') return found(this.customers, id, shownCustomer);
    if (kind === 'checkout' && id === 'sessions' && !isPost)
      return list(
        this.sessions
          .filter(({ customer, status }) => customer === query.get('customer') && status === 'open')
          .map(shownSession),
      );
    if (kind === 'checkout' && path[3] === 'expire') return this.#expire(action);
    if (kind === 'checkout' && id === 'sessions') return ok(shownSession(this.#newSession(params)));
    if (kind === 'billing_portal')
      return ok({
        object: 'billing_portal.session',
        url: `https://portal.example/${params.get('customer')}?back=${params.get('return_url')}`,
      });
    if (kind === 'subscriptions' && method === 'DELETE') return this.#cancel(id);
    if (kind === 'subscriptions' && !this.customers.some(({ id: known }) => known === query.get('customer')))
      return refused(400, 'resource_missing');
    if (kind === 'subscriptions')
      return list(
        this.subscriptions
          .filter(({ customer }) => customer === query.get('customer'))
          .map(shownSubscription)
          .toReversed(),
      );
    if (kind === 'invoices') return this.#invoices(query);
    if (kind === 'disputes') return this.#disputes(query.get('payment_intent'));
    if (kind !== 'payment_intents') return undefined;
    if (isPost && params.has('customer')) return this.#charge(params);
    if (query.has('customer'))
      return list(
        this.charges
          .filter(({ customer }) => customer === query.get('customer'))
          .map(shownCharge)
          .toReversed(),
      );
    return this.charges.some((charge) => charge.id === id) ? found(this.charges, id, shownCharge) : undefined;
  }

  /** A person pays what a checkout asks for. */
  pay(sessionId: string): FakeSession {
    const session = one(this.sessions, sessionId);
    if (session.status !== 'open') throw new Error(`the checkout is ${session.status}`);
    session.status = 'complete';
    const customer = one(this.customers, session.customer);
    const method = this.#id('pm');
    if (session.mode === 'subscription') {
      const start = seconds();
      const subscription = {
        id: this.#id('sub'),
        customer: customer.id,
        price: session.price,
        status: 'active',
        start,
        end: start + 30 * daySeconds,
        cancelAt: null,
        method,
      };
      this.subscriptions.push(subscription);
      this.#happened('customer.subscription.created', shownSubscription(subscription));
      const invoice = { id: this.#id('in'), customer: customer.id, cents: 2000, created: start };
      this.invoices.push(invoice);
      this.#happened('invoice.paid', shownInvoice(invoice));
    } else {
      customer.method ??= method;
      session.intent = this.buy(customer.id, session.cents, session.metadata).id;
    }
    this.#happened('checkout.session.completed', shownSession(session));
    return session;
  }

  /** A person pays, once. */
  buy(customerId: string, cents: number, metadata: Readonly<Record<string, string>>): FakeCharge {
    const charge = this.#newCharge(customerId, cents, metadata);
    this.#happened('payment_intent.succeeded', shownCharge(charge));
    return charge;
  }

  /** Time, a bank or a person changes a subscription. */
  change(customerId: string, changes: Partial<FakeSubscription>): FakeSubscription {
    const subscription = this.subscriptions.findLast(({ customer }) => customer === customerId);
    if (subscription === undefined) throw new Error(`${customerId} has no subscription`);
    Object.assign(subscription, changes);
    const type = subscription.status === 'canceled' ? 'deleted' : 'updated';
    this.#happened(`customer.subscription.${type}`, shownSubscription(subscription));
    return subscription;
  }

  refund(intentId: string, cents: number): void {
    const charge = one(this.charges, intentId);
    charge.refundedCents += cents;
    const object = { object: 'charge', id: `ch_${intentId}`, payment_intent: intentId };
    this.#happened('charge.refunded', object);
  }

  dispute(intentId: string, status = 'needs_response'): void {
    const charge = one(this.charges, intentId);
    charge.dispute = { status, cents: charge.cents };
    const type = status === 'won' ? 'charge.dispute.closed' : 'charge.dispute.created';
    this.#happened(type, { object: 'dispute', id: `dp_${intentId}`, payment_intent: intentId, status });
  }

  /** Tells a gateway, as the processor signs it. */
  async deliver(
    url: string,
    event: FakeEvent,
    { secret = webhookSecret, ageSeconds = 0 } = {},
  ): Promise<RawAnswer> {
    const { id, type, object } = event;
    const payload = JSON.stringify({ object: 'event', id, type, data: { object } });
    const timestamp = seconds() - ageSeconds;
    const header = signer.webhooks.generateTestHeaderString({ payload, secret, timestamp });
    return call(url, {
      path: '/webhooks/stripe',
      headers: ['stripe-signature', header, 'content-type', 'application/json; charset=utf-8'],
      body: payload,
    });
  }

  /** What is paid and was not given back, in cents. */
  heldCents(): number {
    const held = this.charges.filter(({ status }) => status === 'succeeded');
    return held.reduce((sum, { cents, refundedCents }) => sum + cents - refundedCents, 0);
  }

  #newCustomer(params: URLSearchParams): FakeCustomer {
    const customer = {
      id: this.#id('cus'),
      email: params.get('email') ?? '',
      metadata: metadataIn(params, 'metadata'),
      method: null,
    };
    this.customers.push(customer);
    return customer;
  }

  #newSession(params: URLSearchParams): FakeSession {
    const isSubscription = params.get('mode') === 'subscription';
    const session: FakeSession = {
      id: this.#id('cs'),
      mode: isSubscription ? 'subscription' : 'payment',
      customer: params.get('customer') ?? '',
      accountId: params.get('client_reference_id') ?? '',
      price: params.get('line_items[0][price]') ?? '',
      cents: Number(params.get('line_items[0][price_data][unit_amount]') ?? 0),
      successUrl: params.get('success_url') ?? '',
      cancelUrl: params.get('cancel_url') ?? '',
      metadata: metadataIn(params, isSubscription ? 'metadata' : 'payment_intent_data[metadata]'),
      status: 'open',
      intent: null,
    };
    this.sessions.push(session);
    return session;
  }

  #expire(id: string | undefined): StripeResponse {
    const session = this.sessions.find((known) => known.id === id);
    if (session?.status !== 'open') return refused(400, 'resource_missing');
    session.status = 'expired';
    return ok(shownSession(session));
  }

  #cancel(id: string | undefined): StripeResponse {
    const subscription = this.subscriptions.find((known) => known.id === id);
    if (subscription === undefined) return refused(404, 'resource_missing');
    subscription.status = 'canceled';
    this.#happened('customer.subscription.deleted', shownSubscription(subscription));
    return ok(shownSubscription(subscription));
  }

  #charge(params: URLSearchParams): StripeResponse {
    const isRight =
      params.get('off_session') === 'true' &&
      params.get('confirm') === 'true' &&
      params.get('currency') === 'usd' &&
      params.has('payment_method');
    if (!isRight) return refused(400, 'parameter_missing');
    const cents = Number(params.get('amount'));
    if (cents < 50) return refused(400, 'amount_too_small');
    const charge = this.#newCharge(params.get('customer') ?? '', cents, metadataIn(params, 'metadata'));
    if (this.declineCode === undefined) {
      this.#happened('payment_intent.succeeded', shownCharge(charge));
      return ok(shownCharge(charge));
    }
    charge.status = 'requires_payment_method';
    this.#happened('payment_intent.payment_failed', shownCharge(charge));
    return refused(402, this.declineCode);
  }

  #newCharge(customer: string, cents: number, metadata: Readonly<Record<string, string>>): FakeCharge {
    const charge: FakeCharge = {
      id: this.#id('pi'),
      customer,
      cents,
      created: seconds(),
      metadata,
      status: 'succeeded',
      refundedCents: 0,
      dispute: undefined,
    };
    this.charges.push(charge);
    return charge;
  }

  #invoices(query: URLSearchParams): StripeResponse {
    const own = this.invoices.filter(({ customer }) => customer === query.get('customer')).toReversed();
    const after = own.findIndex(({ id }) => id === query.get('starting_after'));
    const rest = own.slice(after + 1);
    const page = rest.slice(0, Number(query.get('limit')));
    return list(page.map(shownInvoice), rest.length > page.length);
  }

  #disputes(intentId: string | null): StripeResponse {
    const { dispute } = one(this.charges, intentId ?? '');
    return list(
      dispute === undefined ? [] : [{ id: `dp_${intentId}`, amount: dispute.cents, status: dispute.status }],
    );
  }

  #happened(type: string, object: object): void {
    // As it was then: what it is about may change before it is delivered.
    this.events.push({ id: this.#id('evt'), type, object: structuredClone(object) });
  }

  /** Unlike those of payments by machines. */
  #id(kind: string): string {
    return `${kind}_b${++this.#made}`;
  }
}

function seconds(): number {
  return Math.floor(Date.now() / 1000);
}

function metadataIn(params: URLSearchParams, name: string): Readonly<Record<string, string>> {
  const entries = [...params].flatMap(([key, value]) =>
    key.startsWith(`${name}[`) ? [[key.slice(name.length + 1, -1), value]] : [],
  );
  return Object.fromEntries(entries);
}

function one<Thing extends { readonly id: string }>(things: readonly Thing[], id: string): Thing {
  const thing = things.find((known) => known.id === id);
  if (thing === undefined) throw new Error(`there is no ${id}`);
  return thing;
}

function found<Thing extends { readonly id: string }>(
  things: readonly Thing[],
  id: string | undefined,
  shown: (thing: Thing) => object,
): StripeResponse {
  const thing = things.find((known) => known.id === id);
  return thing === undefined ? refused(404, 'resource_missing') : ok(shown(thing));
}

function ok(body: object): StripeResponse {
  return { status: 200, body: JSON.stringify(body) };
}

function list(data: readonly object[], more = false): StripeResponse {
  return ok({ object: 'list', data, has_more: more });
}

function refused(status: number, code: string): StripeResponse {
  const type = status === 402 ? 'card_error' : 'invalid_request_error';
  return { status, body: JSON.stringify({ error: { type, code, message: code } }) };
}
