// What the fake processor remembers, and how it shows it: only what a client of ours looks at.

export interface FakeCustomer {
  readonly id: string;
  readonly email: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** What can be charged while nobody is there. */
  method: string | null;
}

export interface FakeSession {
  readonly id: string;
  readonly mode: 'subscription' | 'payment';
  readonly customer: string;
  readonly accountId: string;
  readonly price: string;
  readonly cents: number;
  readonly successUrl: string;
  readonly cancelUrl: string;
  readonly metadata: Readonly<Record<string, string>>;
  status: 'open' | 'complete' | 'expired';
  intent: string | null;
}

export interface FakeSubscription {
  readonly id: string;
  readonly customer: string;
  price: string;
  status: string;
  /** Seconds since 1970. */
  start: number;
  end: number;
  cancelAt: number | null;
  method: string | null;
}

export interface FakeCharge {
  readonly id: string;
  readonly customer: string;
  readonly cents: number;
  readonly created: number;
  readonly metadata: Readonly<Record<string, string>>;
  status: string;
  refundedCents: number;
  dispute: { status: string; readonly cents: number } | undefined;
}

export interface FakeInvoice {
  readonly id: string;
  readonly customer: string;
  readonly cents: number;
  readonly created: number;
}

export function shownInvoice({ id, customer, cents, created }: FakeInvoice) {
  return {
    object: 'invoice',
    id,
    customer,
    number: `WEIR-${id}`,
    created,
    status: 'paid',
    total: cents,
    currency: 'usd',
    hosted_invoice_url: `https://invoice.example/${id}`,
  };
}

export function shownCustomer({ id, email, metadata, method }: FakeCustomer) {
  return {
    object: 'customer',
    id,
    email,
    metadata,
    invoice_settings: { default_payment_method: method },
  };
}

export function shownSession(session: FakeSession) {
  const { id, mode, customer, accountId, status, intent, metadata } = session;
  return {
    object: 'checkout.session',
    id,
    mode,
    customer,
    client_reference_id: accountId,
    status,
    payment_intent: intent,
    metadata,
    url: `https://checkout.example/${id}`,
  };
}

export function shownSubscription(subscription: FakeSubscription) {
  const { id, customer, price, status, start, end, cancelAt, method } = subscription;
  const item = { id: `si_${id}`, price: { id: price }, current_period_start: start, current_period_end: end };
  return {
    object: 'subscription',
    id,
    customer,
    status,
    cancel_at: cancelAt,
    cancel_at_period_end: cancelAt === end,
    default_payment_method: method,
    items: { object: 'list', data: [item], has_more: false },
  };
}

export function shownCharge({
  id,
  customer,
  cents,
  created,
  metadata,
  status,
  refundedCents,
  dispute,
}: FakeCharge) {
  const isPaid = status === 'succeeded';
  return {
    object: 'payment_intent',
    id,
    customer,
    amount: cents,
    amount_received: isPaid ? cents : 0,
    currency: 'usd',
    created,
    metadata,
    status,
    latest_charge: isPaid
      ? { object: 'charge', id: `ch_${id}`, amount_refunded: refundedCents, disputed: dispute !== undefined }
      : null,
  };
}
