import type { Clock } from '../kernel/clock.ts';
import { limits } from '../kernel/limits.ts';
import type { BillingAccounts, CreditPayment, Credits } from '../kernel/ports/billing.ts';
import type { Users } from '../kernel/ports/records.ts';
import type { Versions } from '../kernel/ports/shared-state.ts';
import { storageUnavailable } from '../kernel/ports/storage-unavailable.ts';
import type { BillingProcessor, ProcessorPayment } from './billing-processor.ts';

export interface CreditPurchasesParts {
  readonly credits: Credits;
  readonly billing: Pick<BillingAccounts, 'stopAutoRecharge'>;
  readonly users: Pick<Users, 'byId'>;
  readonly versions: Pick<Versions, 'renew'>;
  readonly processor: Pick<BillingProcessor, 'payment'>;
  readonly clock: Clock;
}

/** Credits follow the payments that bought them: in once, and out again when their price went back. */
export class CreditPurchases {
  readonly #parts: CreditPurchasesParts;

  constructor(parts: CreditPurchasesParts) {
    this.#parts = parts;
  }

  /** The payment as it is now; undefined where it is none of ours. */
  async syncPayment(intentId: string): Promise<ProcessorPayment | undefined> {
    const { credits, processor, users } = this.#parts;
    for (let tries = 0; tries < limits.billingTries; tries++) {
      // Before the processor is asked: what changes meanwhile is noticed.
      const known = await credits.payment(intentId);
      const payment = await processor.payment(intentId);
      if (payment === undefined || (await users.byId(payment.accountId)) === undefined) return undefined;
      if (payment.state !== 'paid' || (await this.#applyPayment(payment, known))) return payment;
    }
    throw storageUnavailable('the payment is being updated by another request');
  }

  /** What we have otherwise than the processor. */
  findDiscrepancy(payment: ProcessorPayment, known: CreditPayment | undefined): string | undefined {
    if (payment.state !== 'paid') return known && 'was never paid';
    if (known === undefined) return `bought ${payment.credits} credits, but the account received none`;
    if (known.credits !== payment.credits)
      return `bought ${payment.credits} credits, but the account received ${known.credits}`;
    const reclaimed = reclaimedCredits(payment);
    return known.reclaimed === reclaimed
      ? undefined
      : `${reclaimed} credits were refunded or disputed, but ${known.reclaimed} were reclaimed`;
  }

  /** False where the payment was changed by somebody who may know more. */
  async #applyPayment(payment: ProcessorPayment, known: CreditPayment | undefined): Promise<boolean> {
    const { credits, billing, versions, clock } = this.#parts;
    const { intentId, accountId, rechargeId, disputed } = payment;
    const atMs = clock.now();
    await credits.recordPurchase({ intentId, accountId, credits: payment.credits, rechargeId, atMs });
    const reclaimed = reclaimedCredits(payment);
    const kind = disputed > 0 ? 'dispute' : 'refund';
    // Or what was given back would be bought again by itself.
    if (reclaimed > (known?.reclaimed ?? 0))
      await billing.stopAutoRecharge(accountId, `a payment for credits ended in a ${kind}`);
    const taken = await credits.reclaim({
      intentId,
      revision: known?.revision ?? 0,
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
