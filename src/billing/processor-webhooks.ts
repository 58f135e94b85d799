import type { BillingAccounts } from '../kernel/ports/billing.ts';
import type { Clock } from '../lib/clock.ts';
import type { BillingProcessor } from './billing-processor.ts';
import { callProcessor } from './call-processor.ts';
import type { CreditPurchases } from './credit-purchases.ts';
import { limits } from './limits.ts';
import type { Recharger } from './recharger.ts';
import type { Subscriptions } from './subscriptions.ts';

export interface ProcessorWebhooksParts {
  readonly billing: BillingAccounts;
  readonly processor: Pick<BillingProcessor, 'parseEvent'>;
  readonly subscriptions: Subscriptions;
  readonly purchases: CreditPurchases;
  readonly recharger: Recharger;
  readonly clock: Clock;
  onFault(cause: unknown): void;
}

/**
 * Processes webhook events. An event is recorded after all its effects: one that fails halfway is delivered again, which
 * is harmless, because the effects read the current state and are written once.
 */
export class ProcessorWebhooks {
  readonly #parts: ProcessorWebhooksParts;

  constructor(parts: ProcessorWebhooksParts) {
    this.#parts = parts;
  }

  async handle(body: Uint8Array, signature: string): Promise<void> {
    const { billing, processor, subscriptions, clock, onFault } = this.#parts;
    const { id, subject } = await processor.parseEvent(body, signature);
    if (subject === undefined || (await billing.hasEvent(id))) return;
    await callProcessor(
      () =>
        'customerId' in subject
          ? subscriptions.sync(subject.customerId)
          : this.#syncPayment(subject.intentId),
      onFault,
    );
    const atMs = clock.now();
    await billing.recordEvent({ id, atMs, forgetMs: atMs - limits.eventsKeptMs });
  }

  async #syncPayment(intentId: string): Promise<void> {
    const { purchases, recharger } = this.#parts;
    const payment = await purchases.syncPayment(intentId);
    if (payment !== undefined) await recharger.onPayment(payment);
  }
}
