import { GatewayError } from '../kernel/errors.ts';
import type { AutoRecharge, BillingAccounts } from '../kernel/ports/billing.ts';
import type { Accounts, Members } from '../kernel/ports/identities.ts';
import type { Account } from '../kernel/ports/records.ts';
import type { RateLimiter, Versions } from '../kernel/ports/shared-state.ts';
import type { Clock } from '../lib/clock.ts';
import type {
  BillingProcessor,
  Checkout,
  CheckoutOrder,
  InvoiceList,
  InvoicePage,
  PaidTier,
} from './billing-processor.ts';
import { callProcessor } from './call-processor.ts';
import { limits } from './limits.ts';
import type { Recharger } from './recharger.ts';
import type { Subscriptions } from './subscriptions.ts';
import { effectiveTier } from './tiers.ts';

export interface BillingServiceParts {
  readonly billing: BillingAccounts;
  readonly accounts: Pick<Accounts, 'byId'>;
  readonly members: Pick<Members, 'owner'>;
  readonly versions: Pick<Versions, 'renew'>;
  readonly rateLimiter: Pick<RateLimiter, 'count'>;
  readonly clock: Clock;
  /** Undefined if this gateway has none. */
  readonly backend: BillingBackend | undefined;
  /** Default return URL after a checkout. */
  welcomeUrl(): string;
  plansUrl(): string;
}

/** Available if a processor is configured. */
export interface BillingBackend {
  readonly processor: BillingProcessor;
  readonly subscriptions: Subscriptions;
  readonly recharger: Recharger;
  /** Tiers with a price. */
  readonly soldTiers: ReadonlySet<PaidTier>;
  onFault(cause: unknown): void;
}

interface ReturnUrls {
  readonly successUrl?: string | undefined;
  readonly cancelUrl?: string | undefined;
}

/** Billing operations of account holders. */
export class BillingService {
  readonly #parts: BillingServiceParts;

  constructor(parts: BillingServiceParts) {
    this.#parts = parts;
  }

  async checkout(accountId: string, tier: PaidTier, returnUrls: ReturnUrls): Promise<Checkout> {
    const billingBackend = await this.#requireBackend('checkout', accountId);
    if (!billingBackend.soldTiers.has(tier)) throw notConfiguredError('checkout');
    await this.accountOf(accountId);
    return callProcessor(async () => {
      const customerId = await this.#ensureCustomer(accountId, billingBackend);
      if (await isSubscribed(customerId, billingBackend))
        throw new GatewayError(
          'already_subscribed',
          'this account already has a subscription; change it in the portal that POST /v1/billing/portal returns',
        );
      return billingBackend.processor.checkout(
        this.#checkoutOrder(accountId, { customerId, buys: { tier } }, returnUrls),
      );
    }, billingBackend.onFault);
  }

  async buyCredits(accountId: string, credits: number, returnUrls: ReturnUrls): Promise<Checkout> {
    const billingBackend = await this.#requireBackend('credits', accountId);
    await this.#requirePaidTier(accountId);
    return callProcessor(async () => {
      const customerId = await this.#ensureCustomer(accountId, billingBackend);
      return billingBackend.processor.checkout(
        this.#checkoutOrder(accountId, { customerId, buys: { credits } }, returnUrls),
      );
    }, billingBackend.onFault);
  }

  async portal(accountId: string, returnUrl: string): Promise<string> {
    const billingBackend = await this.#requireBackend('portal', accountId);
    await this.accountOf(accountId);
    return callProcessor(
      async () =>
        billingBackend.processor.portal(await this.#ensureCustomer(accountId, billingBackend), returnUrl),
      billingBackend.onFault,
    );
  }

  async invoices(accountId: string, page: InvoicePage): Promise<InvoiceList> {
    const billingBackend = await this.#requireBackend('invoices', accountId);
    const { customerId } = await this.#parts.billing.get(accountId);
    if (customerId === null) return { invoices: [], hasMore: false };
    return callProcessor(() => billingBackend.processor.invoices(customerId, page), billingBackend.onFault);
  }

  async setOverage(accountId: string, enabled: boolean): Promise<void> {
    const { billing, versions } = this.#parts;
    if (enabled) await this.#requirePaidTier(accountId);
    await billing.setOverage(accountId, enabled);
    await versions.renew(accountId);
  }

  /** Undefined fields stay as they are. */
  async setAutoRecharge(
    accountId: string,
    changes: {
      readonly enabled: boolean;
      readonly threshold?: number | undefined;
      readonly amount?: number | undefined;
    },
  ): Promise<AutoRecharge> {
    const { billing } = this.#parts;
    const billingBackend = await this.#requireBackend('auto-recharge', accountId);
    if (changes.enabled) await this.#requirePaidTier(accountId);
    const { threshold, amount } = (await billing.get(accountId)).autoRecharge;
    const autoRecharge = {
      enabled: changes.enabled,
      threshold: changes.threshold ?? threshold,
      amount: changes.amount ?? amount,
      reason: null,
    };
    await billing.setAutoRecharge(accountId, autoRecharge);
    if (autoRecharge.enabled) void billingBackend.recharger.rechargeIfDue(accountId);
    return autoRecharge;
  }

  async accountOf(accountId: string): Promise<Account> {
    const account = await this.#parts.accounts.byId(accountId);
    if (account !== undefined) return account;
    throw accountGoneError();
  }

  async #requirePaidTier(accountId: string): Promise<void> {
    const account = await this.accountOf(accountId);
    if (effectiveTier(account, this.#parts.clock.now()) !== 'free') return;
    throw new GatewayError(
      'paid_tier_required',
      'free accounts can not use credits; upgrade to a paid tier with POST /v1/billing/checkout',
      { upgradeUrl: this.#parts.plansUrl() },
    );
  }

  /** Rate-limited: each operation sends several requests to the processor, whose limits all accounts share. */
  async #requireBackend(operation: string, accountId: string): Promise<BillingBackend> {
    const { backend, rateLimiter } = this.#parts;
    if (backend === undefined) throw notConfiguredError(operation);
    const retryAfterSeconds = await rateLimiter.count(
      `billing:${accountId}`,
      limits.billingRequestsPerAccount,
    );
    if (retryAfterSeconds === 0) return backend;
    throw new GatewayError('too_many_attempts', `too many attempts; retry in ${retryAfterSeconds} s`, {
      retryAfterSeconds,
    });
  }

  #checkoutOrder(
    accountId: string,
    bought: Pick<CheckoutOrder, 'customerId' | 'buys'>,
    { successUrl, cancelUrl }: ReturnUrls,
  ): CheckoutOrder {
    return {
      accountId,
      ...bought,
      successUrl: successUrl ?? this.#parts.welcomeUrl(),
      cancelUrl: cancelUrl ?? this.#parts.plansUrl(),
    };
  }

  /** The processor writes to the owner of the account. */
  async #ensureCustomer(accountId: string, { processor }: BillingBackend): Promise<string> {
    const { billing, members } = this.#parts;
    const owner = await members.owner(accountId);
    if (owner === undefined) throw accountGoneError();
    const { email } = owner.identity;
    const { customerId } = await billing.get(accountId);
    if (customerId === null)
      return billing.linkCustomer(accountId, await processor.createCustomer({ accountId, email }));
    if (await processor.hasCustomer(customerId)) return customerId;
    const next = await processor.createCustomer({ accountId, email, replacedId: customerId });
    return billing.replaceCustomer(accountId, customerId, next);
  }
}

/** Asks the processor, because the webhook of a checkout may still be on its way; then follows the active subscription. */
async function isSubscribed(
  customerId: string,
  { processor, subscriptions }: BillingBackend,
): Promise<boolean> {
  const runs = (await processor.subscriptions(customerId)).some(({ status }) => !endedStatuses.has(status));
  if (runs) await subscriptions.sync(customerId);
  return runs;
}

const endedStatuses: ReadonlySet<string> = new Set(['canceled', 'incomplete', 'incomplete_expired']);

function accountGoneError(): GatewayError {
  return new GatewayError('authentication_required', 'the account of this session no longer exists');
}

export function notConfiguredError(operation: string): GatewayError {
  return new GatewayError(
    'billing_not_configured',
    'this gateway has no payment processor for this; the operator must set STRIPE_SECRET_KEY and the prices',
    { detail: `billing_not_configured:${operation}`, shouldRetry: false },
  );
}
