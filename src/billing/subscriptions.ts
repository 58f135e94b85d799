import type { BillingAccount, BillingAccounts, SubscriptionState } from '../kernel/ports/billing.ts';
import type { Accounts } from '../kernel/ports/identities.ts';
import type { Account, TierId } from '../kernel/ports/records.ts';
import type { Versions } from '../kernel/ports/shared-state.ts';
import { storageUnavailable } from '../kernel/ports/storage-unavailable.ts';
import type { Clock } from '../lib/clock.ts';
import type { BillingProcessor, PaidTier, Subscription } from './billing-processor.ts';
import { limits } from './limits.ts';

export interface SubscriptionsParts {
  readonly billing: BillingAccounts;
  readonly accounts: Pick<Accounts, 'byId'>;
  readonly versions: Pick<Versions, 'renew'>;
  readonly processor: Pick<BillingProcessor, 'subscriptions' | 'accountOf'>;
  readonly clock: Clock;
  /** Calls `apply`, which resolves to whether the tier was set. */
  changeTier(accountId: string, tier: TierId, apply: () => Promise<boolean>): Promise<boolean>;
}

/** Sets tiers by the processor's current state, independent of the content and order of webhook events. */
export class Subscriptions {
  readonly #parts: SubscriptionsParts;

  constructor(parts: SubscriptionsParts) {
    this.#parts = parts;
  }

  /**
   * Writes a state only if it was fetched after the previous write; otherwise fetches it again. So the last write has the
   * latest state, across replicas.
   */
  async sync(customerId: string): Promise<void> {
    const { billing, accounts, versions, processor, clock, changeTier } = this.#parts;
    for (let tries = 0; tries < limits.billingTries; tries++) {
      const account = await this.#accountOf(customerId);
      if (account === undefined) return;
      const subscriptionState = planOf(await processor.subscriptions(customerId), account, clock.now());
      if (subscriptionState === undefined) return;
      const before = await accounts.byId(account.accountId);
      const { accountId, revision } = account;
      const { tier } = subscriptionState;
      const apply = () => billing.applySubscription(accountId, revision, subscriptionState);
      const isApplied = before?.tier === tier ? apply() : changeTier(accountId, tier, apply);
      if (!(await isApplied)) continue;
      // A later subscription must not resume automatic recharges.
      if (tier === 'free') await billing.stopAutoRecharge(accountId, 'the subscription has ended');
      return versions.renew(accountId);
    }
    throw storageUnavailable('the account is being updated by another request');
  }

  /** Differences from the processor's records, and inconsistencies in those. */
  async findDiscrepancies(billingAccount: BillingAccount): Promise<readonly TierDiscrepancy[]> {
    const { accounts, processor, clock } = this.#parts;
    const { accountId, customerId } = billingAccount;
    const account = await accounts.byId(accountId);
    if (customerId === null || account === undefined) return [];
    const subscriptions = await processor.subscriptions(customerId);
    const subscriptionState = planOf(subscriptions, billingAccount, clock.now());
    return [
      ...(subscriptionState === undefined || matchesPlan(subscriptionState, account, billingAccount)
        ? []
        : [
            {
              description: `${describeTier(account)}, and by its subscriptions ${describeTier(subscriptionState)}`,
              canRepair: true,
            },
          ]),
      ...findAnomalies(subscriptions).map((description) => ({ description, canRepair: false })),
    ];
  }

  async #accountOf(customerId: string): Promise<BillingAccount | undefined> {
    const { billing, accounts, processor } = this.#parts;
    const existing = await billing.byCustomer(customerId);
    if (existing !== undefined) return existing;
    const accountId = await processor.accountOf(customerId);
    if (accountId === undefined || (await accounts.byId(accountId)) === undefined) return undefined;
    const bound = await billing.linkCustomer(accountId, customerId);
    return bound === customerId ? billing.get(accountId) : undefined;
  }
}

interface TierDiscrepancy {
  readonly description: string;
  /** Whether synchronizing the account repairs it. */
  readonly canRepair: boolean;
}

function matchesPlan(
  subscriptionState: SubscriptionState,
  account: Account,
  { subscriptionId }: BillingAccount,
): boolean {
  return (
    subscriptionState.tier === account.tier &&
    subscriptionState.period?.startMs === account.period?.startMs &&
    subscriptionState.period?.endMs === account.period?.endMs &&
    subscriptionState.subscriptionId === subscriptionId &&
    (subscriptionState.tierEndsMs === undefined) === (account.tierEndsMs === undefined)
  );
}

/** Subscriptions that are paid for without effect. */
function findAnomalies(subscriptions: readonly Subscription[]): readonly string[] {
  const paid = subscriptions.filter(({ status }) => activeStatuses.has(status));
  const names = paid.map(({ id }) => id).join(' and ');
  return [
    ...paid
      .filter(({ tier }) => tier === undefined)
      .map(({ id }) => `pays for ${id}, whose price matches no tier`),
    ...(paid.length > 1 ? [`pays for ${names} at once`] : []),
  ];
}

/** Undefined if the processor does not determine the tier: no subscription is active, and the tier did not come from one. */
function planOf(
  subscriptions: readonly Subscription[],
  { subscriptionId, pastDueSinceMs }: BillingAccount,
  nowMs: number,
): SubscriptionState | undefined {
  const [best] = subscriptions.flatMap(toActive).toSorted(compareByPreference);
  if (best === undefined) return subscriptionId === null ? undefined : freePlan;
  const isPastDue = best.status === 'past_due';
  const sinceMs = isPastDue ? (pastDueSinceMs ?? nowMs) : null;
  const ends = [best.cancelAtMs, sinceMs === null ? undefined : sinceMs + limits.pastDueGraceMs].filter(
    (endMs) => endMs !== undefined,
  );
  return {
    subscriptionId: best.id,
    pastDueSinceMs: sinceMs,
    tier: best.tier,
    period: { startMs: best.startMs, endMs: best.endMs },
    tierEndsMs: ends.length === 0 ? undefined : Math.min(...ends),
  };
}

const freePlan: SubscriptionState = {
  subscriptionId: null,
  pastDueSinceMs: null,
  tier: 'free',
  period: undefined,
  tierEndsMs: undefined,
};

type ActiveSubscription = Subscription & { readonly tier: PaidTier };

/** Whether a subscription grants its tier. */
function toActive({ tier, ...rest }: Subscription): readonly ActiveSubscription[] {
  return tier !== undefined && activeStatuses.has(rest.status) ? [{ ...rest, tier }] : [];
}

const activeStatuses: ReadonlySet<string> = new Set(['active', 'trialing', 'past_due']);

/** The better tier, if there are two subscriptions. */
function compareByPreference(one: ActiveSubscription, other: ActiveSubscription): number {
  return (
    Number(one.status === 'past_due') - Number(other.status === 'past_due') ||
    Number(other.tier === 'team') - Number(one.tier === 'team') ||
    other.endMs - one.endMs
  );
}

interface TierState {
  readonly tier: TierId;
  readonly period: { readonly endMs: number } | undefined;
}

function describeTier({ tier, period }: TierState): string {
  return period === undefined ? tier : `${tier} until ${new Date(period.endMs).toISOString()}`;
}
