import type { Clock } from '../kernel/clock.ts';
import { limits } from '../kernel/limits.ts';
import type { BillingAccount, BillingAccounts, Plan } from '../kernel/ports/billing.ts';
import type { TierId, User, Users } from '../kernel/ports/records.ts';
import type { Versions } from '../kernel/ports/shared-state.ts';
import { unavailable } from '../kernel/ports/unavailable.ts';
import type { BillingProcessor, PaidTier, Subscription } from './processor.ts';

export interface SubscriptionParts {
  readonly billing: BillingAccounts;
  readonly users: Users;
  readonly versions: Pick<Versions, 'renew'>;
  readonly processor: Pick<BillingProcessor, 'subscriptions' | 'accountOf'>;
  readonly clock: Clock;
}

/** Tiers follow what the processor says now, whatever news made us ask and in which order it came. */
export class Subscriptions {
  readonly #parts: SubscriptionParts;

  constructor(parts: SubscriptionParts) {
    this.#parts = parts;
  }

  /**
   * What is written was asked for after whatever was written before, or it is asked for again. So the last to write knows
   * the latest, on every replica.
   */
  async follow(customerId: string): Promise<void> {
    const { billing, versions, processor, clock } = this.#parts;
    for (let tries = 0; tries < limits.billingTries; tries++) {
      const account = await this.#accountOf(customerId);
      if (account === undefined) return;
      const plan = planOf(await processor.subscriptions(customerId), account, clock.now());
      if (plan === undefined) return;
      if (!(await billing.follow(account.accountId, account.revision, plan))) continue;
      // Whoever comes back some day has not said that it should go on.
      if (plan.tier === 'free')
        await billing.stopAutoRecharge(account.accountId, 'the subscription has ended');
      return versions.renew(account.accountId);
    }
    throw unavailable('this account is being changed');
  }

  /** What differs from the processor's record, and what there makes no sense. */
  async departures(account: BillingAccount): Promise<readonly TierDeparture[]> {
    const { users, processor, clock } = this.#parts;
    const { accountId, customerId } = account;
    const user = await users.byId(accountId);
    if (customerId === null || user === undefined) return [];
    const subscriptions = await processor.subscriptions(customerId);
    const plan = planOf(subscriptions, account, clock.now());
    return [
      ...(plan === undefined || isPlan(plan, user, account)
        ? []
        : [{ what: `${described(user)}, and by its subscriptions ${described(plan)}`, canFollow: true }]),
      ...oddities(subscriptions).map((what) => ({ what, canFollow: false })),
    ];
  }

  async #accountOf(customerId: string): Promise<BillingAccount | undefined> {
    const { billing, users, processor } = this.#parts;
    const known = await billing.byCustomer(customerId);
    if (known !== undefined) return known;
    const accountId = await processor.accountOf(customerId);
    if (accountId === undefined || (await users.byId(accountId)) === undefined) return undefined;
    const bound = await billing.bind(accountId, customerId);
    return bound === customerId ? billing.get(accountId) : undefined;
  }
}

interface TierDeparture {
  readonly what: string;
  /** Whether it is right once the account follows its subscriptions. */
  readonly canFollow: boolean;
}

function isPlan(plan: Plan, user: User, { subscriptionId }: BillingAccount): boolean {
  return (
    plan.tier === user.tier &&
    plan.period?.startMs === user.period?.startMs &&
    plan.period?.endMs === user.period?.endMs &&
    plan.subscriptionId === subscriptionId &&
    (plan.tierEndsMs === undefined) === (user.tierEndsMs === undefined)
  );
}

/** What somebody pays for and does not get. */
function oddities(subscriptions: readonly Subscription[]): readonly string[] {
  const paid = subscriptions.filter(({ status }) => givesTier.has(status));
  const names = paid.map(({ id }) => id).join(' and ');
  return [
    ...paid
      .filter(({ tier }) => tier === undefined)
      .map(({ id }) => `pays for ${id}, whose price is of no tier`),
    ...(paid.length > 1 ? [`pays for ${names} at once`] : []),
  ];
}

/** Undefined where the processor has no say: nothing runs, and nothing came from there. */
function planOf(
  subscriptions: readonly Subscription[],
  { subscriptionId, pastDueSinceMs }: BillingAccount,
  nowMs: number,
): Plan | undefined {
  const [best] = subscriptions.flatMap(running).toSorted(better);
  if (best === undefined) return subscriptionId === null ? undefined : nothingRuns;
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

const nothingRuns: Plan = {
  subscriptionId: null,
  pastDueSinceMs: null,
  tier: 'free',
  period: undefined,
  tierEndsMs: undefined,
};

type Running = Subscription & { readonly tier: PaidTier };

/** Whether a subscription gives its tier. */
function running({ tier, ...rest }: Subscription): readonly Running[] {
  return tier !== undefined && givesTier.has(rest.status) ? [{ ...rest, tier }] : [];
}

const givesTier: ReadonlySet<string> = new Set(['active', 'trialing', 'past_due']);

/** What a person would rather have, should there be two. */
function better(one: Running, other: Running): number {
  return (
    Number(one.status === 'past_due') - Number(other.status === 'past_due') ||
    Number(other.tier === 'team') - Number(one.tier === 'team') ||
    other.endMs - one.endMs
  );
}

interface Described {
  readonly tier: TierId;
  readonly period: { readonly endMs: number } | undefined;
}

function described({ tier, period }: Described): string {
  return period === undefined ? tier : `${tier} until ${new Date(period.endMs).toISOString()}`;
}
