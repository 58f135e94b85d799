import { randomUUID } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import { limits } from '../kernel/limits.ts';
import type { Challenge, Challenges } from '../kernel/ports/payments.ts';
import type { Settlement, Settlements } from '../kernel/ports/settlements.ts';
import type { Secret } from '../kernel/secret.ts';
import { Payment } from './payment.ts';
import type { PaymentProcessor } from './payment-processor.ts';

export interface PaymentCollectorParts {
  readonly challenges: Pick<Challenges, 'consume'>;
  readonly settlements: Settlements;
  readonly processor: PaymentProcessor;
  readonly clock: Clock;
  onFault(cause: unknown): void;
}

export type PaymentStartResult =
  | { readonly outcome: 'held'; readonly payment: Payment }
  /** Somebody else is paying with the challenge. */
  | { readonly outcome: 'consumed' }
  | { readonly outcome: 'refused'; readonly why: string };

/** Takes payments: each is written down before the processor is asked, so that one that was left is found and given back. */
export class PaymentCollector {
  readonly #parts: PaymentCollectorParts;
  readonly #holder = randomUUID();
  readonly #openPayments = new Set<string>();
  #timers: readonly NodeJS.Timeout[] = [];
  #sweeping: Promise<void> | undefined;
  #lastCleanupMs = 0;

  constructor(parts: PaymentCollectorParts) {
    this.#parts = parts;
  }

  /** Says of what is its own that it is, and gives back what others have left, now and from time to time. */
  start(): void {
    // Apart from each other: whoever waits for the processor must not lose what is its own meanwhile.
    this.#timers = [
      setInterval(() => void this.#renew(), limits.settlementRenewalMs).unref(),
      setInterval(() => this.#sweepOnce(), limits.settlementSweepMs).unref(),
    ];
    this.#sweepOnce();
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await this.#sweeping;
  }

  /** Payments that are being made here. */
  get openPayments(): number {
    return this.#openPayments.size;
  }

  /** Uses the challenge up, and has the price reserved. */
  async begin({ id: challengeId }: Challenge, token: Secret): Promise<PaymentStartResult> {
    const { challenges, settlements, processor: paymentProcessor, clock } = this.#parts;
    const atMs = clock.now();
    const attempt = await challenges.consume(challengeId, atMs);
    if (attempt === undefined) return { outcome: 'consumed' };
    const names = { id: `${challengeId}.${attempt}`, challengeId, attempt };
    const { id } = names;
    const untilMs = atMs + limits.settlementLeaseMs;
    this.#openPayments.add(id);
    try {
      await settlements.open({ ...names, intent: null, atMs, holder: this.#holder, untilMs });
      const paymentHoldResult = await paymentProcessor.hold({ id, token });
      if (paymentHoldResult.outcome === 'held') {
        await settlements.recordIntent(id, paymentHoldResult.intent);
        const { intent } = paymentHoldResult;
        const onSettled = () => this.#openPayments.delete(id);
        const payment = new Payment(
          { ...this.#parts, onSettled },
          { ...names, intent, holder: this.#holder },
        );
        return { outcome: 'held', payment };
      }
      this.#openPayments.delete(id);
      // What nobody knows is found out later, by whoever finds it left.
      if (paymentHoldResult.outcome === 'unknown')
        return {
          outcome: 'refused',
          why: 'the payment processor did not answer; any amount it reserved is released within minutes',
        };
      await settlements.giveBack(names, 'cancelled');
      return { outcome: 'refused', why: paymentHoldResult.why };
    } catch (fault) {
      this.#openPayments.delete(id);
      throw fault;
    }
  }

  async #renew(): Promise<void> {
    const { settlements, clock, onFault } = this.#parts;
    const lease = { holder: this.#holder, untilMs: clock.now() + limits.settlementLeaseMs };
    await settlements.renew([...this.#openPayments], lease).catch(onFault);
  }

  #sweepOnce(): void {
    this.#sweeping ??= this.#sweep().finally(() => {
      this.#sweeping = undefined;
    });
  }

  async #sweep(): Promise<void> {
    const { settlements, clock, onFault } = this.#parts;
    const nowMs = clock.now();
    try {
      const left = await settlements.takeOver({
        holder: this.#holder,
        nowMs,
        untilMs: nowMs + limits.settlementLeaseMs,
        most: limits.settlementsAtOnce,
      });
      await Promise.all(left.map((settlement) => this.#giveBackAbandoned(settlement).catch(onFault)));
      if (nowMs - this.#lastCleanupMs < limits.settlementsTidyMs) return;
      this.#lastCleanupMs = nowMs;
      await settlements.tidy({ beforeMs: nowMs - limits.settlementKeptMs, most: limits.settlementsKept });
    } catch (fault) {
      onFault(fault);
    }
  }

  /** Whoever began it answered nobody: what was held or taken goes back to the payer. */
  async #giveBackAbandoned(settlement: Settlement): Promise<void> {
    const { settlements, processor: paymentProcessor, clock } = this.#parts;
    const intentState = await paymentProcessor.find(settlement);
    // The processor may still be about to do what it was asked for: it is looked for again.
    if (intentState === undefined && clock.now() - settlement.atMs < limits.settlementUnknownMs) return;
    if (intentState?.state === 'held') await paymentProcessor.cancel(intentState.intent);
    if (intentState?.state === 'paid') await paymentProcessor.refund(intentState.intent);
    await settlements.giveBack(settlement, intentState?.state === 'paid' ? 'refunded' : 'cancelled');
  }
}
