import type { Recharge } from '../kernel/ports/billing.ts';
import type { TierId } from '../kernel/ports/records.ts';

/** The payment processor for subscriptions and credits. Throws if a result is unknown: a missing reply is never a failure. */
export interface BillingProcessor {
  /** Idempotent: returns the same customer each time, unless it replaces a deleted one. */
  createCustomer(who: NewCustomer): Promise<string>;
  /** False if it was deleted or belongs to another account of the operator. */
  hasCustomer(customerId: string): Promise<boolean>;
  /** The account id that we stored with the customer. */
  accountOf(customerId: string): Promise<string | undefined>;
  checkout(order: CheckoutOrder): Promise<Checkout>;
  portal(customerId: string, returnUrl: string): Promise<string>;
  /** Newest first, optionally after a given one. */
  invoices(customerId: string, page: InvoicePage): Promise<InvoiceList>;
  /** All subscriptions of the customer, past ones included, in their current state. */
  subscriptions(customerId: string): Promise<readonly Subscription[]>;
  /** Cancels all active subscriptions immediately, and every open checkout. */
  cancelAll(customerId: string): Promise<void>;
  /** The current state; undefined if it is not a purchase of credits. */
  payment(intentId: string): Promise<ProcessorPayment | undefined>;
  /** All payments of a customer for credits, unpaid ones included. */
  payments(customerId: string): Promise<readonly ProcessorPayment[]>;
  /** The payment method for off-session charges; undefined if there is none. */
  savedPaymentMethod(customerId: string): Promise<string | undefined>;
  charge(recharge: Recharge): Promise<ChargeResult>;
  /** The result of an old charge; undefined if it was never made. */
  findCharge(recharge: Recharge): Promise<string | undefined>;
  /** Throws if the signature is invalid or too old. */
  parseEvent(body: Uint8Array, signature: string): Promise<ProcessorEvent>;
}

export interface InvoicePage {
  readonly after: string | undefined;
  readonly limit: number;
}

export interface InvoiceList {
  readonly invoices: readonly Invoice[];
  readonly hasMore: boolean;
}

export interface Invoice {
  readonly id: string;
  /** The printed invoice number; null for a draft. */
  readonly number: string | null;
  readonly atMs: number;
  readonly status: string;
  /** In the smallest currency unit. */
  readonly total: number;
  readonly currency: string;
  /** The processor's page to view and pay it. */
  readonly url: string | null;
}

export interface NewCustomer {
  readonly accountId: string;
  readonly email: string;
  readonly replacedId?: string | undefined;
}

export type PaidTier = Exclude<TierId, 'free'>;

export const paidTiers = ['pro', 'team'] as const satisfies readonly PaidTier[];

export interface CheckoutOrder {
  readonly accountId: string;
  readonly customerId: string;
  readonly buys: { readonly tier: PaidTier } | { readonly credits: number };
  readonly successUrl: string;
  readonly cancelUrl: string;
}

export interface Checkout {
  readonly url: string;
  readonly sessionId: string;
}

export interface Subscription {
  readonly id: string;
  readonly status: string;
  /** Undefined if the price is not one of ours. */
  readonly tier: PaidTier | undefined;
  readonly startMs: number;
  readonly endMs: number;
  /** When it is set to end. */
  readonly cancelAtMs: number | undefined;
}

export interface ProcessorPayment {
  readonly intentId: string;
  readonly accountId: string;
  readonly rechargeId: string | undefined;
  readonly state: 'paid' | 'pending' | 'failed';
  readonly credits: number;
  /** Credits whose price was refunded. */
  readonly refunded: number;
  /** Credits whose price was disputed through the payer's bank. */
  readonly disputed: number;
}

export type ChargeResult =
  | { readonly outcome: 'made'; readonly intentId: string }
  | { readonly outcome: 'declined'; readonly why: string }
  | { readonly outcome: 'unknown'; readonly cause: unknown };

/** A webhook event: only its subject. Its content may be outdated, so the current state is fetched. */
export interface ProcessorEvent {
  readonly id: string;
  readonly subject:
    | { readonly customerId: string }
    | { readonly intentId: string }
    /** An event we ignore. */
    | undefined;
}
