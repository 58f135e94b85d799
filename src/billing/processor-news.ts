import type { Clock } from '../kernel/clock.ts';
import { limits } from '../kernel/limits.ts';
import type { BillingAccounts } from '../kernel/ports/billing.ts';
import { asked } from './asked.ts';
import type { CreditPurchases } from './credit-purchases.ts';
import type { BillingProcessor } from './processor.ts';
import type { Recharger } from './recharger.ts';
import type { Subscriptions } from './subscriptions.ts';

export interface NewsParts {
  readonly billing: BillingAccounts;
  readonly processor: Pick<BillingProcessor, 'eventIn'>;
  readonly subscriptions: Subscriptions;
  readonly purchases: CreditPurchases;
  readonly recharger: Recharger;
  readonly clock: Clock;
  onFault(cause: unknown): void;
}

/**
 * Takes in what the processor tells. It is known once everything came of it: what fails half-way is told again, and does no
 * harm the second time, since whatever follows is asked for and written once.
 */
export class ProcessorNews {
  readonly #parts: NewsParts;

  constructor(parts: NewsParts) {
    this.#parts = parts;
  }

  async take(body: Uint8Array, signature: string): Promise<void> {
    const { billing, processor, subscriptions, clock, onFault } = this.#parts;
    const { id, about } = await processor.eventIn(body, signature);
    if (about === undefined || (await billing.isKnown(id))) return;
    await asked(
      () => ('customerId' in about ? subscriptions.follow(about.customerId) : this.#follow(about.intentId)),
      onFault,
    );
    const atMs = clock.now();
    await billing.know({ id, atMs, forgetMs: atMs - limits.eventsKeptMs });
  }

  async #follow(intentId: string): Promise<void> {
    const { purchases, recharger } = this.#parts;
    const payment = await purchases.follow(intentId);
    if (payment !== undefined) await recharger.heard(payment);
  }
}
