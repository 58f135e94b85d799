import type Stripe from 'stripe';
import { GatewayError } from '../../kernel/errors.ts';
import { limits as kernelLimits } from '../../kernel/limits.ts';
import type { Recharge } from '../../kernel/ports/billing.ts';
import type { Secret } from '../../lib/secret.ts';
import type {
  BillingProcessor,
  ChargeResult,
  Checkout,
  CheckoutOrder,
  InvoiceList,
  InvoicePage,
  NewCustomer,
  ProcessorEvent,
  ProcessorPayment,
  Subscription,
} from '../billing-processor.ts';
import { groupThousands } from '../group-thousands.ts';
import { limits } from '../limits.ts';
import { eventSubjectOf } from './event-subject.ts';
import { readInvoice } from './read-invoice.ts';
import { creditsPerCent, readPayment } from './read-payment.ts';
import { readSubscription, type TierPrices } from './read-subscription.ts';
import { declineReason, unlessMissing } from './stripe-errors.ts';

export interface StripeBillingParts {
  /** Loaded at the first use. */
  client(): Promise<Stripe>;
  readonly webhookSecret: Secret | undefined;
  readonly prices: TierPrices;
}

/** Subscriptions and credits with Stripe. */
export class StripeBilling implements BillingProcessor {
  readonly #parts: StripeBillingParts;

  constructor(parts: StripeBillingParts) {
    this.#parts = parts;
  }

  async createCustomer({ accountId, email, replacedId }: NewCustomer): Promise<string> {
    const stripe = await this.#parts.client();
    const key = replacedId === undefined ? accountId : `${accountId}-${replacedId}`;
    const { id } = await stripe.customers.create(
      { email, metadata: { weir_account: accountId } },
      { idempotencyKey: `weir-customer-${key}` },
    );
    return id;
  }

  async hasCustomer(customerId: string): Promise<boolean> {
    const stripe = await this.#parts.client();
    const customer = await unlessMissing(() => stripe.customers.retrieve(customerId));
    return customer !== undefined && !customer.deleted;
  }

  async accountOf(customerId: string): Promise<string | undefined> {
    const stripe = await this.#parts.client();
    const customer = await unlessMissing(() => stripe.customers.retrieve(customerId));
    return customer === undefined || customer.deleted ? undefined : customer.metadata.weir_account;
  }

  async checkout({ accountId, customerId, buys, successUrl, cancelUrl }: CheckoutOrder): Promise<Checkout> {
    const stripe = await this.#parts.client();
    if ('tier' in buys) await expireOpenCheckouts(stripe, customerId);
    const metadata = { weir_account: accountId };
    const { id, url } = await stripe.checkout.sessions.create({
      customer: customerId,
      client_reference_id: accountId,
      success_url: successUrl,
      cancel_url: cancelUrl,
      metadata,
      ...('tier' in buys
        ? {
            mode: 'subscription',
            line_items: [{ price: this.#parts.prices[buys.tier][0] ?? '', quantity: 1 }],
            subscription_data: { metadata },
          }
        : {
            mode: 'payment',
            line_items: [{ price_data: creditsPriceData(buys.credits), quantity: 1 }],
            payment_intent_data: {
              metadata: { ...metadata, weir_credits: String(buys.credits) },
              setup_future_usage: 'off_session',
            },
          }),
    });
    if (url === null) throw new Error('Stripe returned a checkout session without a URL');
    return { url, sessionId: id };
  }

  async portal(customerId: string, returnUrl: string): Promise<string> {
    const stripe = await this.#parts.client();
    const { url } = await stripe.billingPortal.sessions.create({
      customer: customerId,
      return_url: returnUrl,
    });
    return url;
  }

  async invoices(customerId: string, { after, limit }: InvoicePage): Promise<InvoiceList> {
    const stripe = await this.#parts.client();
    const listed = await unlessMissing(() =>
      stripe.invoices.list({
        customer: customerId,
        limit,
        ...(after !== undefined && { starting_after: after }),
      }),
    );
    return { invoices: (listed?.data ?? []).map(readInvoice), hasMore: listed?.has_more === true };
  }

  async subscriptions(customerId: string): Promise<readonly Subscription[]> {
    const stripe = await this.#parts.client();
    const listed = await unlessMissing(() =>
      stripe.subscriptions.list({ customer: customerId, status: 'all', limit: 100 }),
    );
    return (listed?.data ?? []).map((subscription) => readSubscription(subscription, this.#parts.prices));
  }

  async cancelAll(customerId: string): Promise<void> {
    const stripe = await this.#parts.client();
    const open = { customer: customerId, status: 'open', limit: 100 } as const;
    const checkouts = await unlessMissing(() => stripe.checkout.sessions.list(open));
    for (const { id } of checkouts?.data ?? []) await stripe.checkout.sessions.expire(id);
    for (const { id, status } of await this.subscriptions(customerId))
      if (!endedStatuses.has(status)) await unlessMissing(() => stripe.subscriptions.cancel(id));
  }

  async payment(intentId: string): Promise<ProcessorPayment | undefined> {
    const stripe = await this.#parts.client();
    const intent = await stripe.paymentIntents.retrieve(intentId, { expand: ['latest_charge'] });
    return readPayment(stripe, intent);
  }

  async payments(customerId: string): Promise<readonly ProcessorPayment[]> {
    const stripe = await this.#parts.client();
    const payments: ProcessorPayment[] = [];
    const listed = stripe.paymentIntents.list({
      customer: customerId,
      limit: 100,
      expand: ['data.latest_charge'],
    });
    for await (const intent of listed) {
      const payment = await readPayment(stripe, intent);
      if (payment !== undefined) payments.push(payment);
    }
    return payments;
  }

  /** Prefers the payment method of the subscription, which the checkout saved there. */
  async savedPaymentMethod(customerId: string): Promise<string | undefined> {
    const stripe = await this.#parts.client();
    const { data } = await stripe.subscriptions.list({ customer: customerId, status: 'all', limit: 100 });
    const paying = data.find(({ status }) => status === 'active' || status === 'trialing') ?? data[0];
    const ofSubscription = idOf(paying?.default_payment_method);
    if (ofSubscription !== undefined) return ofSubscription;
    const customer = await stripe.customers.retrieve(customerId);
    const usual = customer.deleted ? undefined : idOf(customer.invoice_settings.default_payment_method);
    if (usual !== undefined) return usual;
    const { data: methods } = await stripe.customers.listPaymentMethods(customerId, { limit: 1 });
    return methods[0]?.id;
  }

  async charge({ id, accountId, customerId, method, credits }: Recharge): Promise<ChargeResult> {
    const stripe = await this.#parts.client();
    try {
      const intent = await stripe.paymentIntents.create(
        {
          amount: credits / creditsPerCent,
          currency: 'usd',
          customer: customerId,
          payment_method: method,
          off_session: true,
          confirm: true,
          description: `${credits} credits`,
          metadata: { weir_account: accountId, weir_credits: String(credits), weir_recharge: id },
        },
        { idempotencyKey: id },
      );
      return { outcome: 'made', intentId: intent.id };
    } catch (cause) {
      const why = declineReason(cause);
      return why === undefined ? { outcome: 'unknown', cause } : { outcome: 'declined', why };
    }
  }

  async findCharge({ id, customerId, atMs }: Recharge): Promise<string | undefined> {
    const stripe = await this.#parts.client();
    const from = Math.floor(atMs / 1000) - kernelLimits.processorClockSeconds;
    const listed = stripe.paymentIntents.list({ customer: customerId, created: { gte: from }, limit: 100 });
    for await (const intent of listed) if (intent.metadata.weir_recharge === id) return intent.id;
    return undefined;
  }

  async parseEvent(body: Uint8Array, signature: string): Promise<ProcessorEvent> {
    const stripe = await this.#parts.client();
    const secret = this.#parts.webhookSecret?.reveal() ?? '';
    try {
      const { id, type, data } = stripe.webhooks.constructEvent(
        Buffer.from(body),
        signature,
        secret,
        limits.eventAgeSeconds,
      );
      return { id, subject: eventSubjectOf(type, data.object) };
    } catch (cause) {
      throw new GatewayError(
        'invalid_signature',
        'the signature of the payment processor is invalid or too old',
        { cause },
      );
    }
  }
}

const endedStatuses: ReadonlySet<string> = new Set(['canceled', 'incomplete_expired']);

/** Two paid checkouts would create two subscriptions. */
async function expireOpenCheckouts(stripe: Stripe, customerId: string): Promise<void> {
  const { data } = await stripe.checkout.sessions.list({ customer: customerId, status: 'open', limit: 100 });
  for (const { id, mode } of data) if (mode === 'subscription') await stripe.checkout.sessions.expire(id);
}

function creditsPriceData(credits: number) {
  return {
    currency: 'usd',
    unit_amount: credits / creditsPerCent,
    product_data: { name: `${groupThousands(credits)} credits` },
  };
}

function idOf(thing: string | { readonly id: string } | null | undefined): string | undefined {
  return typeof thing === 'string' ? thing : thing?.id;
}
