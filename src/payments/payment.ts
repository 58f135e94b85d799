import { hash, randomUUID } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import type { Settlements } from '../kernel/ports/settlements.ts';
import { chargeTerms, paidRoute } from './offer.ts';
import type { PaymentProcessor } from './payment-processor.ts';

export interface PaymentParts {
  readonly settlements: Settlements;
  readonly processor: PaymentProcessor;
  readonly clock: Clock;
  /** Nobody has to keep it any longer. */
  onSettled(): void;
}

interface PaymentIds {
  /** Of the settlement. */
  readonly id: string;
  readonly challengeId: string;
  readonly attempt: number;
  readonly intent: string;
  readonly holder: string;
}

/** The price of one call, reserved: it is taken when there is something to show for it, or given back. */
export class Payment {
  readonly #parts: PaymentParts;
  readonly #ids: PaymentIds;
  #receipt: string | undefined;
  #isClosed = false;
  #isServed = false;

  constructor(parts: PaymentParts, names: PaymentIds) {
    this.#parts = parts;
    this.#ids = names;
  }

  get id(): string {
    return this.#ids.id;
  }

  /** Whether the payer was to get what was paid for: then nothing is given back. */
  get isServed(): boolean {
    return this.#isServed;
  }

  /** The receipt, as it stands in its header; undefined where the money could not be had. */
  async capture(): Promise<string | undefined> {
    const { processor: paymentProcessor, clock } = this.#parts;
    const { challengeId, intent } = this.#ids;
    const captureResult = await paymentProcessor.capture(intent);
    // Whether it was taken is found out by whoever finds it left, and it is given back then.
    if (captureResult === 'unknown') this.#close();
    if (captureResult !== 'paid') return undefined;
    const { method, amount, currency } = chargeTerms;
    const timestamp = new Date(clock.now()).toISOString();
    const told = {
      method,
      reference: intent,
      status: 'success',
      timestamp,
      id: challengeId,
      charge: intent,
      amount,
      currency,
    };
    this.#receipt = Buffer.from(JSON.stringify(told)).toString('base64url');
    return this.#receipt;
  }

  /** Directly before the payer gets the head of the answer. False where somebody else gives the money back by now. */
  async markServed(): Promise<boolean> {
    const { settlements, clock } = this.#parts;
    const { id, holder } = this.#ids;
    if (this.#receipt === undefined) throw new Error('the payment was not captured');
    this.#isServed = await settlements.serve(id, holder, {
      id: `led_${randomUUID()}`,
      atMs: clock.now(),
      route: `${paidRoute.method} ${paidRoute.path}`,
      amount: chargeTerms.amount,
      currency: chargeTerms.currency,
      receiptHash: hash('sha256', this.#receipt),
    });
    this.#close();
    return this.#isServed;
  }

  /** There is nothing to show for it. Where this fails, whoever finds it left gives it back. */
  async cancelOrRefund(): Promise<void> {
    const { processor: paymentProcessor, settlements } = this.#parts;
    if (this.#isClosed) return;
    const { intent } = this.#ids;
    const wasTaken = this.#receipt !== undefined;
    try {
      await (wasTaken ? paymentProcessor.refund(intent) : paymentProcessor.cancel(intent));
      await settlements.giveBack(this.#ids, wasTaken ? 'refunded' : 'cancelled');
    } finally {
      this.#close();
    }
  }

  #close(): void {
    this.#isClosed = true;
    this.#parts.onSettled();
  }
}
