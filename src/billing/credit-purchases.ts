import type { BillingAccounts, CreditPayment, Credits } from '../kernel/ports/billing.ts';
import type { Accounts } from '../kernel/ports/identities.ts';
import type { Versions } from '../kernel/ports/shared-state.ts';
import { storageUnavailable } from '../kernel/ports/storage-unavailable.ts';
import type { Clock } from '../lib/clock.ts';
import type { BillingProcessor, ProcessorPayment } from './billing-processor.ts';
import { limits } from './limits.ts';

export interface CreditPurchasesParts {
  readonly credits: Credits;
  readonly billing: Pick<BillingAccounts, 'stopAutoRecharge'>;
  readonly accounts: Pick<Accounts, 'byId'>;
  readonly versions: Pick<Versions, 'renew'>;
  readonly processor: Pick<BillingProcessor, 'payment'>;
  readonly clock: Clock;
}

/** Adds credits once for each payment, and reclaims them when the payment is refunded or disputed. */
export class CreditPurchases {
  readonly #parts: CreditPurchasesParts;

  constructor(parts: CreditPurchasesParts) {
    this.#parts = parts;
  }

  /** The current payment; undefined if it is not one of ours. */
  async syncPayment(intentId: string): Promise<ProcessorPayment | undefined> {
    const { credits, processor, accounts } = this.#parts;
    for (let tries = 0; tries < limits.billingTries; tries++) {
      // Read before asking the processor, so that a change meanwhile is noticed.
      const recorded = await credits.payment(intentId);
      const payment = await processor.payment(intentId);
      if (payment === undefined || (await accounts.byId(payment.accountId)) === undefined) return undefined;
      if (payment.state !== 'paid' || (await this.#applyPayment(payment, recorded))) return payment;
    }
    throw storageUnavailable('the payment is being updated by another request');
  }

  /** Describes how our record differs from the processor's. */
  findDiscrepancy(payment: ProcessorPayment, recorded: CreditPayment | undefined): string | undefined {
    if (payment.state !== 'paid') return recorded && 'was never paid';
    if (recorded === undefined) return `bought ${payment.credits} credits, but the account received none`;
    if (recorded.credits !== payment.credits)
      return `bought ${payment.credits} credits, but the account received ${recorded.credits}`;
    const reclaimed = reclaimedCredits(payment);
    return recorded.reclaimed === reclaimed
      ? undefined
      : `${reclaimed} credits were refunded or disputed, but ${recorded.reclaimed} were reclaimed`;
  }

  /** False if another request, which may have newer data, has changed the payment. */
  async #applyPayment(payment: ProcessorPayment, recorded: CreditPayment | undefined): Promise<boolean> {
    const { credits, billing, versions, clock } = this.#parts;
    const { intentId, accountId, rechargeId, disputed } = payment;
    const atMs = clock.now();
    await credits.recordPurchase({ intentId, accountId, credits: payment.credits, rechargeId, atMs });
    const reclaimed = reclaimedCredits(payment);
    const kind = disputed > 0 ? 'dispute' : 'refund';
    // Otherwise the reclaimed credits would be bought again automatically.
    if (reclaimed > (recorded?.reclaimed ?? 0))
      await billing.stopAutoRecharge(accountId, `a payment for credits ended in a ${kind}`);
    const taken = await credits.reclaim({
      intentId,
      revision: recorded?.revision ?? 0,
      credits: reclaimed,
      kind,
      atMs,
    });
    if (taken === undefined) return false;
    await versions.renew(accountId);
    return true;
  }
}

function reclaimedCredits({ credits, refunded, disputed }: ProcessorPayment): number {
  return Math.min(credits, refunded + disputed);
}
