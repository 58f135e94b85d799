import type { Period, TierId } from './records.ts';

/** The state of an account at the payment processor. */
export interface BillingAccount {
  readonly accountId: string;
  /** The processor's id of the account; null if it has none yet. */
  readonly customerId: string | null;
  /** The subscription that sets its tier; null if there is none. */
  readonly subscriptionId: string | null;
  /** Since when a payment for it is overdue. */
  readonly pastDueSinceMs: number | null;
  /** Incremented with each change of the subscription. */
  readonly revision: number;
  readonly autoRecharge: AutoRecharge;
  /** Consecutive recharge attempts without a response. */
  readonly failures: number;
}

/** Automatic purchase of credits when fewer than the threshold are left. */
export interface AutoRecharge {
  readonly enabled: boolean;
  readonly threshold: number;
  readonly amount: number;
  /** Why it was switched off automatically. */
  readonly reason: string | null;
}

/** The tier that results from an account's subscriptions. */
export interface SubscriptionState {
  readonly subscriptionId: string | null;
  readonly pastDueSinceMs: number | null;
  readonly tier: TierId;
  readonly period: Period | undefined;
  /** When the account becomes a free one, unless there is other news by then. */
  readonly tierEndsMs: number | undefined;
}

export interface BillingAccounts {
  /** The default state if none is stored. */
  get(accountId: string): Promise<BillingAccount>;
  byCustomer(customerId: string): Promise<BillingAccount | undefined>;
  /** Resolves to the customer of the account, which may be an earlier one. */
  linkCustomer(accountId: string, customerId: string): Promise<string>;
  /** Replaces a deleted customer; resolves to the current one. */
  replaceCustomer(accountId: string, goneId: string, customerId: string): Promise<string>;
  /** False without a change if the account was changed since that revision. */
  applySubscription(
    accountId: string,
    revision: number,
    subscriptionState: SubscriptionState,
  ): Promise<boolean>;
  /** Set by the operator; lasts until there is other news. */
  setTier(accountId: string, tier: TierId): Promise<void>;
  setOverage(accountId: string, enabled: boolean): Promise<void>;
  /** Resets earlier failures. */
  setAutoRecharge(accountId: string, autoRecharge: AutoRecharge): Promise<void>;
  /** Switches it off with a reason; false if it was off already. */
  stopAutoRecharge(accountId: string, reason: string): Promise<boolean>;
  /** Counts another attempt without a response, and sets the earliest time of the next. */
  backOff(accountId: string, nextTryMs: number): Promise<void>;
  /** Accounts with a customer, by id, after this one. */
  page(afterId: string, limit: number): Promise<readonly BillingAccount[]>;
  /** Whether the event with this id was processed. */
  hasEvent(eventId: string): Promise<boolean>;
  /** Also deletes ids older than `forgetMs`. */
  recordEvent(event: {
    readonly id: string;
    readonly atMs: number;
    readonly forgetMs: number;
  }): Promise<void>;
}

export type CreditEntryKind = 'purchase' | 'overage' | 'refund' | 'dispute' | 'reinstated';

/** A change of an account's credits. It is never changed and never deleted. */
export interface CreditEntry {
  readonly id: string;
  readonly atMs: number;
  readonly kind: CreditEntryKind;
  /** Negative if credits were taken. */
  readonly credits: number;
  /** Its source: a payment or a period. */
  readonly reference: string;
  readonly note: string | null;
}

/** Purchased credits, and how much of their price was refunded. */
export interface CreditPayment {
  readonly intentId: string;
  readonly accountId: string;
  readonly credits: number;
  /** Credits whose price was refunded; taken if they were still there. */
  readonly reclaimed: number;
  readonly taken: number;
  /** Incremented with each change. */
  readonly revision: number;
}

export interface Purchase {
  readonly intentId: string;
  readonly accountId: string;
  readonly credits: number;
  /** The recharge that it completes, if any. */
  readonly rechargeId: string | undefined;
  readonly atMs: number;
}

export interface CreditReclaim {
  readonly intentId: string;
  /** The revision of the payment when the processor was queried. */
  readonly revision: number;
  /** Credits whose price was refunded, of all that were bought. */
  readonly credits: number;
  readonly kind: 'refund' | 'dispute';
  readonly atMs: number;
}

/** The double-entry ledger of credits: every transaction sums to zero, and no account's balance is negative. */
export interface Credits {
  balance(accountId: string): Promise<number>;
  /** With the stored calls of a period, in one snapshot. */
  standing(accountId: string, periodStartMs: number): Promise<CreditStanding>;
  /** Idempotent; false if it was recorded before. */
  recordPurchase(purchase: Purchase): Promise<boolean>;
  payment(intentId: string): Promise<CreditPayment | undefined>;
  /** Takes back what is left, or returns what was taken; undefined if the payment has changed since. */
  reclaim(creditReclaim: CreditReclaim): Promise<number | undefined>;
  /** All entries of an account. */
  payments(accountId: string): Promise<readonly CreditPayment[]>;
  /** The newest first. */
  entries(query: CreditEntryQuery): Promise<readonly CreditEntry[]>;
  /** Accounts whose balance is not the sum of their entries, and transactions that don't sum to zero. */
  findInconsistencies(): Promise<readonly string[]>;
}

export interface CreditStanding {
  readonly credits: number;
  readonly calls: number;
}

export interface CreditEntryQuery {
  readonly accountId: string;
  /** The cursor: entries after this one, which are older. */
  readonly after: Pick<CreditEntry, 'id' | 'atMs'> | undefined;
  readonly limit: number;
}

/** A recharge, stored before any charge. */
export interface Recharge {
  /** The processor's idempotency key. */
  readonly id: string;
  readonly accountId: string;
  readonly customerId: string;
  /** Method and amount must be identical in each attempt, or the processor treats it as another charge. */
  readonly method: string;
  readonly credits: number;
  readonly atMs: number;
  /** The lease of the worker. */
  readonly untilMs: number;
}

export interface Recharges {
  /** False if the account needs none, has one open, or had too many; `credits` is the amount. */
  open(recharge: Recharge, most: RechargeLimit): Promise<boolean>;
  /** Also switches recharging off with the reason; false if it was closed before. */
  decline(id: string, reason: string): Promise<boolean>;
  /** Closes a recharge that was never charged. */
  abandon(id: string): Promise<void>;
  /** Postpones it. */
  postpone(id: string, untilMs: number): Promise<void>;
  /** Acquires open ones without a worker, until `untilMs`. */
  takeOver(bounds: {
    readonly nowMs: number;
    readonly untilMs: number;
    readonly most: number;
  }): Promise<readonly Recharge[]>;
  /** Accounts below their threshold with no open recharge: some of all, or the given one. */
  due(query: DueRechargeQuery): Promise<readonly string[]>;
}

/** The maximum number of an account's recharges since then. */
export interface RechargeLimit {
  readonly sinceMs: number;
  readonly recharges: number;
}

export interface DueRechargeQuery {
  readonly nowMs: number;
  readonly most: RechargeLimit;
  readonly accountId?: string | undefined;
  readonly limit: number;
}

/** The default: recharge five dollars when one dollar is left. */
export const defaultRecharge = { threshold: 100_000, amount: 500_000 } as const;
