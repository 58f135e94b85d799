import type { Clock } from '../kernel/clock.ts';
import { limits } from '../kernel/limits.ts';
import type { BillingAccount, BillingAccounts, SubscriptionState } from '../kernel/ports/billing.ts';
import type { TierId, User, Users } from '../kernel/ports/records.ts';
import type { Versions } from '../kernel/ports/shared-state.ts';
import { storageUnavailable } from '../kernel/ports/storage-unavailable.ts';
import type { BillingProcessor, PaidTier, Subscription } from './billing-processor.ts';

export interface SubscriptionsParts {
  readonly billing: BillingAccounts;
  readonly users: Users;
  readonly versions: Pick<Versions, 'renew'>;
  readonly processor: Pick<BillingProcessor, 'subscriptions' | 'accountOf'>;
  readonly clock: Clock;
}

/** Tiers follow what the processor says now, whatever news made us ask and in which order it came. */
export class Subscriptions {
  readonly #parts: SubscriptionsParts;

  constructor(parts: SubscriptionsParts) {
    this.#parts = parts;
  }

  /**
   * What is written was asked for after whatever was written before, or it is asked for again. So the last to write knows
   * the latest, on every replica.
   */
  async sync(customerId: string): Promise<void> {
    const { billing, versions, processor, clock } = this.#parts;
    for (let tries = 0; tries < limits.billingTries; tries++) {
      const account = await this.#accountOf(customerId);
      if (account === undefined) return;
      const subscriptionState = planOf(await processor.subscriptions(customerId), account, clock.now());
      if (subscriptionState === undefined) return;
      if (!(await billing.applySubscription(account.accountId, account.revision, subscriptionState)))
        continue;
      // Whoever comes back some day has not said that it should go on.
      if (subscriptionState.tier === 'free')
        await billing.stopAutoRecharge(account.accountId, 'the subscription has ended');
      return versions.renew(account.accountId);
    }
    throw storageUnavailable('the account is being updated by another request');
  }

  /** What differs from the processor's record, and what there makes no sense. */
  async findDiscrepancies(account: BillingAccount): Promise<readonly TierDiscrepancy[]> {
    const { users, processor, clock } = this.#parts;
    const { accountId, customerId } = account;
    const user = await users.byId(accountId);
    if (customerId === null || user === undefined) return [];
    const subscriptions = await processor.subscriptions(customerId);
    const subscriptionState = planOf(subscriptions, account, clock.now());
    return [
      ...(subscriptionState === undefined || matchesPlan(subscriptionState, user, account)
        ? []
        : [
            {
              description: `${describeTier(user)}, and by its subscriptions ${describeTier(subscriptionState)}`,
              canRepair: true,
            },
          ]),
      ...findAnomalies(subscriptions).map((description) => ({ description, canRepair: false })),
    ];
  }

  async #accountOf(customerId: string): Promise<BillingAccount | undefined> {
    const { billing, users, processor } = this.#parts;
    const known = await billing.byCustomer(customerId);
    if (known !== undefined) return known;
    const accountId = await processor.accountOf(customerId);
    if (accountId === undefined || (await users.byId(accountId)) === undefined) return undefined;
    const bound = await billing.linkCustomer(accountId, customerId);
    return bound === customerId ? billing.get(accountId) : undefined;
  }
}

interface TierDiscrepancy {
  readonly description: string;
  /** Whether it is right once the account follows its subscriptions. */
  readonly canRepair: boolean;
}

function matchesPlan(
  subscriptionState: SubscriptionState,
  user: User,
  { subscriptionId }: BillingAccount,
): boolean {
  return (
    subscriptionState.tier === user.tier &&
    subscriptionState.period?.startMs === user.period?.startMs &&
    subscriptionState.period?.endMs === user.period?.endMs &&
    subscriptionState.subscriptionId === subscriptionId &&
    (subscriptionState.tierEndsMs === undefined) === (user.tierEndsMs === undefined)
  );
}

/** What somebody pays for and does not get. */
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

/** Undefined where the processor has no say: nothing runs, and nothing came from there. */
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

/** Whether a subscription gives its tier. */
function toActive({ tier, ...rest }: Subscription): readonly ActiveSubscription[] {
  return tier !== undefined && activeStatuses.has(rest.status) ? [{ ...rest, tier }] : [];
}

const activeStatuses: ReadonlySet<string> = new Set(['active', 'trialing', 'past_due']);

/** What a person would rather have, should there be two. */
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
