import { overageCreditsPerRequest } from '../kernel/credits.ts';
import type { BillingAccounts, CreditEntry, Credits } from '../kernel/ports/billing.ts';
import type { Account } from '../kernel/ports/records.ts';
import type { Clock } from '../lib/clock.ts';
import type { Quota } from './quota.ts';
import { effectiveTier } from './tiers.ts';

export interface BillingReportParts {
  readonly billing: Pick<BillingAccounts, 'get'>;
  readonly credits: Pick<Credits, 'balance' | 'entries'>;
  readonly quota: Pick<Quota, 'status'>;
  readonly clock: Clock;
  upgradeUrl(): string;
}

/** The plan, credits and usage of an account. */
export class BillingReport {
  readonly #parts: BillingReportParts;

  constructor(parts: BillingReportParts) {
    this.#parts = parts;
  }

  async balance(account: Account) {
    const { billing, credits, clock, upgradeUrl } = this.#parts;
    const tier = effectiveTier(account, clock.now());
    if (tier === 'free')
      return {
        tier,
        credits: 0,
        currentPeriodEnd: null,
        autoRechargeEnabled: false,
        upgradeUrl: upgradeUrl(),
      };
    const { autoRecharge } = await billing.get(account.id);
    return {
      tier,
      credits: await credits.balance(account.id),
      currentPeriodEnd: account.period === undefined ? null : new Date(account.period.endMs).toISOString(),
      autoRechargeEnabled: autoRecharge.enabled,
      autoRechargeThreshold: autoRecharge.threshold,
      autoRechargeAmount: autoRecharge.amount,
      upgradeUrl: null,
    };
  }

  async usage(
    account: Account,
    page: { readonly after: Pick<CreditEntry, 'id' | 'atMs'> | undefined; readonly limit: number },
  ) {
    const { billing, credits, quota, clock } = this.#parts;
    const tier = effectiveTier(account, clock.now());
    const { limit, used, period } = await quota.status(account);
    const { autoRecharge } = await billing.get(account.id);
    const { enabled, threshold, amount, reason } = autoRecharge;
    const isPaid = tier !== 'free';
    const entries = await credits.entries({
      accountId: account.id,
      after: page.after,
      limit: page.limit + 1,
    });
    return {
      report: {
        tier,
        period: {
          start: new Date(period.startMs).toISOString(),
          end: new Date(period.endMs).toISOString(),
        },
        requests: { limit, used, remaining: Math.max(0, limit - used), pastCap: Math.max(0, used - limit) },
        overage: {
          enabled: isPaid && account.overage === true,
          creditsPerRequest: overageCreditsPerRequest,
        },
        credits: isPaid ? await credits.balance(account.id) : 0,
        autoRecharge: { enabled: isPaid && enabled, threshold, amount, reason },
      },
      entries: entries.slice(0, page.limit),
      hasMore: entries.length > page.limit,
    };
  }
}
