import { hash, randomUUID } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import type { Settlements } from '../kernel/ports/settlements.ts';
import { charge, paidRoute } from './offer.ts';
import type { Processor } from './processor.ts';

export interface PaymentParts {
  readonly settlements: Settlements;
  readonly processor: Processor;
  readonly clock: Clock;
  /** Nobody has to keep it any longer. */
  settled(): void;
}

interface PaymentNames {
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
  readonly #names: PaymentNames;
  #receipt: string | undefined;
  #isOver = false;
  #isServed = false;

  constructor(parts: PaymentParts, names: PaymentNames) {
    this.#parts = parts;
    this.#names = names;
  }

  get id(): string {
    return this.#names.id;
  }

  /** Whether the payer was to get what was paid for: then nothing is given back. */
  get isServed(): boolean {
    return this.#isServed;
  }

  /** The receipt, as it stands in its header; undefined where the money could not be had. */
  async take(): Promise<string | undefined> {
    const { processor, clock } = this.#parts;
    const { challengeId, intent } = this.#names;
    const captured = await processor.capture(intent);
    // Whether it was taken is found out by whoever finds it left, and it is given back then.
    if (captured === 'unknown') this.#end();
    if (captured !== 'paid') return undefined;
    const { method, amount, currency } = charge;
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
  async serve(): Promise<boolean> {
    const { settlements, clock } = this.#parts;
    const { id, holder } = this.#names;
    if (this.#receipt === undefined) throw new Error('nothing was taken for it');
    this.#isServed = await settlements.serve(id, holder, {
      id: `led_${randomUUID()}`,
      atMs: clock.now(),
      route: `${paidRoute.method} ${paidRoute.path}`,
      amount: charge.amount,
      currency: charge.currency,
      receiptHash: hash('sha256', this.#receipt),
    });
    this.#end();
    return this.#isServed;
  }

  /** There is nothing to show for it. Where this fails, whoever finds it left gives it back. */
  async giveBack(): Promise<void> {
    const { processor, settlements } = this.#parts;
    if (this.#isOver) return;
    const { intent } = this.#names;
    const wasTaken = this.#receipt !== undefined;
    try {
      await (wasTaken ? processor.refund(intent) : processor.cancel(intent));
      await settlements.giveBack(this.#names, wasTaken ? 'refunded' : 'cancelled');
    } finally {
      this.#end();
    }
  }

  #end(): void {
    this.#isOver = true;
    this.#parts.settled();
  }
}
