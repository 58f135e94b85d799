import type { Clock } from '../kernel/clock.ts';
import { GatewayError } from '../kernel/errors.ts';
import { limits } from '../kernel/limits.ts';
import type { AutoRecharge, BillingAccounts } from '../kernel/ports/billing.ts';
import type { User, Users } from '../kernel/ports/records.ts';
import type { Attempts, Versions } from '../kernel/ports/shared-state.ts';
import { asked } from './asked.ts';
import type {
  BillingProcessor,
  Checkout,
  CheckoutOrder,
  InvoicePage,
  Invoices,
  PaidTier,
} from './processor.ts';
import type { Recharger } from './recharger.ts';
import type { Subscriptions } from './subscriptions.ts';
import { effectiveTier } from './tiers.ts';

export interface BillingDeskParts {
  readonly billing: BillingAccounts;
  readonly users: Users;
  readonly versions: Pick<Versions, 'renew'>;
  readonly attempts: Pick<Attempts, 'count'>;
  readonly clock: Clock;
  /** Undefined where this gateway has none. */
  readonly shop: Shop | undefined;
  /** Where people go after a checkout unless they say otherwise. */
  welcomeUrl(): string;
  startUrl(): string;
}

/** What there is where a processor is configured. */
export interface Shop {
  readonly processor: BillingProcessor;
  readonly subscriptions: Subscriptions;
  readonly recharger: Recharger;
  /** Tiers that have a price. */
  readonly sold: ReadonlySet<PaidTier>;
  onFault(cause: unknown): void;
}

interface Ways {
  readonly successUrl?: string | undefined;
  readonly cancelUrl?: string | undefined;
}

/** What people with an account ask for when it is about money. */
export class BillingDesk {
  readonly #parts: BillingDeskParts;

  constructor(parts: BillingDeskParts) {
    this.#parts = parts;
  }

  async checkout(accountId: string, tier: PaidTier, ways: Ways): Promise<Checkout> {
    const shop = await this.#shop('checkout', accountId);
    if (!shop.sold.has(tier)) throw notConfigured('checkout');
    const user = await this.userOf(accountId);
    return asked(async () => {
      const customerId = await this.#customerOf(user, shop);
      if (await isSubscribed(customerId, shop))
        throw new GatewayError(
          'already_subscribed',
          'this account has a subscription; POST /v1/billing/portal leads to where it is changed',
        );
      return shop.processor.checkout(this.#order(accountId, { customerId, buys: { tier } }, ways));
    }, shop.onFault);
  }

  async buyCredits(accountId: string, credits: number, ways: Ways): Promise<Checkout> {
    const shop = await this.#shop('credits', accountId);
    const user = await this.#payingUserOf(accountId);
    return asked(async () => {
      const customerId = await this.#customerOf(user, shop);
      return shop.processor.checkout(this.#order(accountId, { customerId, buys: { credits } }, ways));
    }, shop.onFault);
  }

  async portal(accountId: string, returnUrl: string): Promise<string> {
    const shop = await this.#shop('portal', accountId);
    const user = await this.userOf(accountId);
    return asked(
      async () => shop.processor.portal(await this.#customerOf(user, shop), returnUrl),
      shop.onFault,
    );
  }

  async invoices(accountId: string, page: InvoicePage): Promise<Invoices> {
    const shop = await this.#shop('invoices', accountId);
    const { customerId } = await this.#parts.billing.get(accountId);
    if (customerId === null) return { invoices: [], hasMore: false };
    return asked(() => shop.processor.invoices(customerId, page), shop.onFault);
  }

  /** Nothing is charged from now on; refuses where the processor can't be told so. */
  async leave(accountId: string): Promise<void> {
    const { billing, shop } = this.#parts;
    const { customerId, subscriptionId } = await billing.get(accountId);
    if (customerId !== null) {
      if (shop !== undefined) await asked(() => shop.processor.end(customerId), shop.onFault);
      else if (subscriptionId !== null) throw notConfigured('cancel');
    }
    await billing.stopAutoRecharge(accountId, 'the account is deleted');
  }

  async setOverage(accountId: string, enabled: boolean): Promise<void> {
    const { billing, versions } = this.#parts;
    if (enabled) await this.#payingUserOf(accountId);
    await billing.setOverage(accountId, enabled);
    await versions.renew(accountId);
  }

  /** What isn't said stays as it is. */
  async setAutoRecharge(
    accountId: string,
    said: {
      readonly enabled: boolean;
      readonly threshold?: number | undefined;
      readonly amount?: number | undefined;
    },
  ): Promise<AutoRecharge> {
    const { billing } = this.#parts;
    const shop = await this.#shop('auto-recharge', accountId);
    if (said.enabled) await this.#payingUserOf(accountId);
    const { threshold, amount } = (await billing.get(accountId)).autoRecharge;
    const autoRecharge = {
      enabled: said.enabled,
      threshold: said.threshold ?? threshold,
      amount: said.amount ?? amount,
      reason: null,
    };
    await billing.setAutoRecharge(accountId, autoRecharge);
    if (autoRecharge.enabled) void shop.recharger.look(accountId);
    return autoRecharge;
  }

  async userOf(accountId: string): Promise<User> {
    const user = await this.#parts.users.byId(accountId);
    if (user !== undefined) return user;
    throw new GatewayError('authentication_required', 'the account of this session is gone');
  }

  async #payingUserOf(accountId: string): Promise<User> {
    const user = await this.userOf(accountId);
    if (effectiveTier(user, this.#parts.clock.now()) !== 'free') return user;
    throw new GatewayError(
      'paid_tier_required',
      'free accounts have no credits; POST /v1/billing/checkout leads to a paid tier',
      { upgradeUrl: this.#parts.startUrl() },
    );
  }

  /** Not too often: each time the processor is asked for several things, and it has limits for all accounts together. */
  async #shop(what: string, accountId: string): Promise<Shop> {
    const { shop, attempts } = this.#parts;
    if (shop === undefined) throw notConfigured(what);
    const retryAfterSeconds = await attempts.count(`billing:${accountId}`, limits.billingAsksPerAccount);
    if (retryAfterSeconds === 0) return shop;
    throw new GatewayError('too_many_attempts', `too many tries; wait for ${retryAfterSeconds} s`, {
      retryAfterSeconds,
    });
  }

  #order(
    accountId: string,
    bought: Pick<CheckoutOrder, 'customerId' | 'buys'>,
    { successUrl, cancelUrl }: Ways,
  ): CheckoutOrder {
    return {
      accountId,
      ...bought,
      successUrl: successUrl ?? this.#parts.welcomeUrl(),
      cancelUrl: cancelUrl ?? this.#parts.startUrl(),
    };
  }

  async #customerOf({ id: accountId, email }: User, { processor }: Shop): Promise<string> {
    const { billing } = this.#parts;
    const { customerId } = await billing.get(accountId);
    if (customerId === null)
      return billing.bind(accountId, await processor.makeCustomer({ accountId, email }));
    if (await processor.hasCustomer(customerId)) return customerId;
    const next = await processor.makeCustomer({ accountId, email, insteadOf: customerId });
    return billing.rebind(accountId, customerId, next);
  }
}

/** Asked for, since news of a checkout may be on its way; what runs is followed then. */
async function isSubscribed(customerId: string, { processor, subscriptions }: Shop): Promise<boolean> {
  const runs = (await processor.subscriptions(customerId)).some(({ status }) => !isOver.has(status));
  if (runs) await subscriptions.follow(customerId);
  return runs;
}

const isOver: ReadonlySet<string> = new Set(['canceled', 'incomplete', 'incomplete_expired']);

function notConfigured(what: string): GatewayError {
  return new GatewayError(
    'billing_not_configured',
    'this gateway has no payment processor for that; its operator sets STRIPE_SECRET_KEY and the prices',
    { detail: `billing_not_configured:${what}`, shouldRetry: false },
  );
}
