import { hash, randomUUID } from 'node:crypto';
import type { Settlements } from '../kernel/ports/settlements.ts';
import type { Clock } from '../lib/clock.ts';
import { chargeTerms, paidRoute } from './offer.ts';
import type { PaymentProcessor } from './payment-processor.ts';

export interface PaymentParts {
  readonly settlements: Settlements;
  readonly processor: PaymentProcessor;
  readonly clock: Clock;
  /** Called when its lease need not be renewed any longer. */
  onSettled(): void;
}

interface PaymentIds {
  /** The id of the settlement. */
  readonly id: string;
  readonly challengeId: string;
  readonly attempt: number;
  readonly intent: string;
  readonly holder: string;
}

/** The reserved price of one call. It is captured when there is an answer, or released. */
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

  /** Whether the answer was delivered: then nothing is returned. */
  get isServed(): boolean {
    return this.#isServed;
  }

  /** Returns the receipt as in its header; undefined if the capture failed. */
  async capture(): Promise<string | undefined> {
    const { processor: paymentProcessor, clock } = this.#parts;
    const { challengeId, intent } = this.#ids;
    const captureResult = await paymentProcessor.capture(intent);
    // The sweep of abandoned payments finds out whether it was captured, and returns it.
    if (captureResult === 'unknown') this.#close();
    if (captureResult !== 'paid') return undefined;
    const { method, amount, currency } = chargeTerms;
    const timestamp = new Date(clock.now()).toISOString();
    const receipt = {
      method,
      reference: intent,
      status: 'success',
      timestamp,
      id: challengeId,
      charge: intent,
      amount,
      currency,
    };
    this.#receipt = Buffer.from(JSON.stringify(receipt)).toString('base64url');
    return this.#receipt;
  }

  /** Call this right before sending the response head. False if another process is already returning the money. */
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

  /** There is no answer. If this fails, the sweep of abandoned payments returns the money. */
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
