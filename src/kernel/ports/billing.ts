import type { Period, TierId } from './records.ts';

/** What the payment processor and we agree on about an account. */
export interface BillingAccount {
  readonly accountId: string;
  /** By which the processor knows it; null while it doesn't. */
  readonly customerId: string | null;
  /** What its tier comes from; null where that is no subscription. */
  readonly subscriptionId: string | null;
  /** Since when a payment for it is missing. */
  readonly pastDueSinceMs: number | null;
  /** Counted up with each change of the subscription. */
  readonly revision: number;
  readonly autoRecharge: AutoRecharge;
  /** Tries to recharge in a row that nobody answered. */
  readonly failures: number;
}

/** Credits are bought by themselves where fewer than the threshold are left. */
export interface AutoRecharge {
  readonly enabled: boolean;
  readonly threshold: number;
  readonly amount: number;
  /** Why it switched itself off. */
  readonly reason: string | null;
}

/** What follows from the subscriptions that an account has. */
export interface SubscriptionState {
  readonly subscriptionId: string | null;
  readonly pastDueSinceMs: number | null;
  readonly tier: TierId;
  readonly period: Period | undefined;
  /** From when on the account is a free one, unless there is other news by then. */
  readonly tierEndsMs: number | undefined;
}

export interface BillingAccounts {
  /** As nobody has changed anything where nothing is stored. */
  get(accountId: string): Promise<BillingAccount>;
  byCustomer(customerId: string): Promise<BillingAccount | undefined>;
  /** Resolves to the customer that the account is, which may be an earlier one. */
  linkCustomer(accountId: string, customerId: string): Promise<string>;
  /** Another in the place of one that is gone; resolves to the one that the account is then. */
  replaceCustomer(accountId: string, goneId: string, customerId: string): Promise<string>;
  /** False, and nothing changed, where the account has been changed since that revision. */
  applySubscription(
    accountId: string,
    revision: number,
    subscriptionState: SubscriptionState,
  ): Promise<boolean>;
  /** By the operator's word; the tier lasts until there is other news. */
  setTier(accountId: string, tier: TierId): Promise<void>;
  setOverage(accountId: string, enabled: boolean): Promise<void>;
  /** What failed before doesn't count any more. */
  setAutoRecharge(accountId: string, autoRecharge: AutoRecharge): Promise<void>;
  /** Off, and why; false where it was off already. */
  stopAutoRecharge(accountId: string, reason: string): Promise<boolean>;
  /** One more try that nobody answered; the next is made no sooner than then. */
  backOff(accountId: string, nextTryMs: number): Promise<void>;
  /** Those with a customer, by id, after this one. */
  page(afterId: string, limit: number): Promise<readonly BillingAccount[]>;
  /** Whether news with this id was taken in. */
  hasEvent(eventId: string): Promise<boolean>;
  /** Also forgets what is older than `forgetMs`. */
  recordEvent(event: {
    readonly id: string;
    readonly atMs: number;
    readonly forgetMs: number;
  }): Promise<void>;
}

export type CreditEntryKind = 'purchase' | 'overage' | 'refund' | 'dispute' | 'reinstated';

/** What happened to the credits of an account. It is never changed and never deleted. */
export interface CreditEntry {
  readonly id: string;
  readonly atMs: number;
  readonly kind: CreditEntryKind;
  /** Negative where they were taken. */
  readonly credits: number;
  /** What it came from: a payment, or a period. */
  readonly reference: string;
  readonly note: string | null;
}

/** Credits that were bought, and what the processor has given back of their price. */
export interface CreditPayment {
  readonly intentId: string;
  readonly accountId: string;
  readonly credits: number;
  /** Credits whose price the payer got back; taken where they were still there. */
  readonly reclaimed: number;
  readonly taken: number;
  /** Counted up with each change. */
  readonly revision: number;
}

export interface Purchase {
  readonly intentId: string;
  readonly accountId: string;
  readonly credits: number;
  /** Which recharge it was, if it was one; it is over then. */
  readonly rechargeId: string | undefined;
  readonly atMs: number;
}

export interface CreditReclaim {
  readonly intentId: string;
  /** What the payment was when the processor was asked. */
  readonly revision: number;
  /** Credits whose price the payer has back, of all that were bought. */
  readonly credits: number;
  readonly kind: 'refund' | 'dispute';
  readonly atMs: number;
}

/** The ledger of credits: whatever one book gets, another gives, and an account's never has less than nothing. */
export interface Credits {
  balance(accountId: string): Promise<number>;
  /** With the calls of a period that are stored, in one moment. */
  standing(accountId: string, periodStartMs: number): Promise<CreditStanding>;
  /** Once, however often it is told; false where it was known. */
  recordPurchase(purchase: Purchase): Promise<boolean>;
  payment(intentId: string): Promise<CreditPayment | undefined>;
  /** Takes back what is still there, or gives back what was taken; undefined where the payment has changed since. */
  reclaim(creditReclaim: CreditReclaim): Promise<number | undefined>;
  /** All of an account. */
  payments(accountId: string): Promise<readonly CreditPayment[]>;
  /** The newest first. */
  entries(question: CreditEntryQuery): Promise<readonly CreditEntry[]>;
  /** Accounts whose balance is not the sum of their entries, and transactions that don't add up to nothing. */
  findInconsistencies(): Promise<readonly string[]>;
}

export interface CreditStanding {
  readonly credits: number;
  readonly calls: number;
}

export interface CreditEntryQuery {
  readonly accountId: string;
  /** Those that come after this one in the list, which are older. */
  readonly after: Pick<CreditEntry, 'id' | 'atMs'> | undefined;
  readonly limit: number;
}

/** A recharge, written down before anybody is charged. */
export interface Recharge {
  /** The processor's idempotency key. */
  readonly id: string;
  readonly accountId: string;
  readonly customerId: string;
  /** What is charged: the same with each try, or the processor takes it for another charge. */
  readonly method: string;
  readonly credits: number;
  readonly atMs: number;
  /** Whoever works on it is done by then, or gone. */
  readonly untilMs: number;
}

export interface Recharges {
  /** False where the account needs none, has one open, or had too many; `credits` is what it wants for now. */
  open(recharge: Recharge, most: RechargeLimit): Promise<boolean>;
  /** Also switches recharging off, and says why; false where it was over before. */
  decline(id: string, reason: string): Promise<boolean>;
  /** Nobody was ever charged. */
  abandon(id: string): Promise<void>;
  /** Nobody works on it until then. */
  postpone(id: string, untilMs: number): Promise<void>;
  /** Open ones that nobody works on; from now until `untilMs` whoever asked does. */
  takeOver(bounds: {
    readonly nowMs: number;
    readonly untilMs: number;
    readonly most: number;
  }): Promise<readonly Recharge[]>;
  /** Accounts with fewer credits than they want, and none under way: some of all, or the one that is named. */
  due(question: DueRechargeQuery): Promise<readonly string[]>;
}

/** How many an account may have had since then. */
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

/** What an account that never said so has: a dollar left, and five more. */
export const defaultRecharge = { threshold: 100_000, amount: 500_000 } as const;
