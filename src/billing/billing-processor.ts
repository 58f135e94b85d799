import type { Recharge } from '../kernel/ports/billing.ts';
import type { TierId } from '../kernel/ports/records.ts';

/** Who sells subscriptions and credits for us. What it can't tell it throws for, and nothing is taken for failed because no answer came. */
export interface BillingProcessor {
  /** The same customer however often it is asked for, unless it is to stand for one that is gone. */
  createCustomer(who: NewCustomer): Promise<string>;
  /** False for one that was deleted, or belongs to another account of the operator's. */
  hasCustomer(customerId: string): Promise<boolean>;
  /** Whose customer it is, as we said when it was made. */
  accountOf(customerId: string): Promise<string | undefined>;
  checkout(order: CheckoutOrder): Promise<Checkout>;
  portal(customerId: string, returnUrl: string): Promise<string>;
  /** The newest first, those that come after one of them where it is named. */
  invoices(customerId: string, page: InvoicePage): Promise<InvoiceList>;
  /** All there ever were, as they are now. */
  subscriptions(customerId: string): Promise<readonly Subscription[]>;
  /** Cancels all that run, at once, and every checkout that is open. */
  cancelAll(customerId: string): Promise<void>;
  /** As it is now; undefined where it didn't buy credits. */
  payment(intentId: string): Promise<ProcessorPayment | undefined>;
  /** All of a customer's that bought credits, or were to. */
  payments(customerId: string): Promise<readonly ProcessorPayment[]>;
  /** What can be charged while nobody is there; undefined where there is nothing. */
  savedPaymentMethod(customerId: string): Promise<string | undefined>;
  charge(recharge: Recharge): Promise<ChargeResult>;
  /** What came of a charge that was made long ago; undefined where it never was. */
  findCharge(recharge: Recharge): Promise<string | undefined>;
  /** Refuses what the processor didn't sign, or signed too long ago. */
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
  /** As it stands on paper; null while it is a draft. */
  readonly number: string | null;
  readonly atMs: number;
  readonly status: string;
  /** In the smallest unit of its currency. */
  readonly total: number;
  readonly currency: string;
  /** Where it can be read and paid, with the processor. */
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
  /** Undefined where it is for something that isn't ours. */
  readonly tier: PaidTier | undefined;
  readonly startMs: number;
  readonly endMs: number;
  /** When it ends by itself. */
  readonly cancelAtMs: number | undefined;
}

export interface ProcessorPayment {
  readonly intentId: string;
  readonly accountId: string;
  readonly rechargeId: string | undefined;
  readonly state: 'paid' | 'pending' | 'failed';
  readonly credits: number;
  /** Credits whose price went back to the payer. */
  readonly refunded: number;
  /** Credits whose price the payer's bank has taken back. */
  readonly disputed: number;
}

export type ChargeResult =
  | { readonly outcome: 'made'; readonly intentId: string }
  | { readonly outcome: 'declined'; readonly why: string }
  | { readonly outcome: 'unknown'; readonly cause: unknown };

/** News: of what, and nothing more. What it says may be old by now, so that it is asked for. */
export interface ProcessorEvent {
  readonly id: string;
  readonly subject:
    | { readonly customerId: string }
    | { readonly intentId: string }
    /** Nothing that we look at. */
    | undefined;
}
