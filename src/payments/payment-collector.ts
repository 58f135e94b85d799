import { randomUUID } from 'node:crypto';
import type { Challenge, Challenges } from '../kernel/ports/payments.ts';
import type { Settlement, Settlements } from '../kernel/ports/settlements.ts';
import type { Clock } from '../lib/clock.ts';
import { PeriodicTask } from '../lib/periodic-task.ts';
import type { Secret } from '../lib/secret.ts';
import { limits } from './limits.ts';
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
  /** Another request is paying with the challenge. */
  | { readonly outcome: 'consumed' }
  | { readonly outcome: 'refused'; readonly why: string };

/** Collects payments. Each is stored before the processor request, so that an abandoned one is found and returned. */
export class PaymentCollector {
  readonly #parts: PaymentCollectorParts;
  readonly #holder = randomUUID();
  readonly #openPayments = new Set<string>();
  /** Two tasks: while a sweep waits for the processor, leases must not expire. */
  readonly #renewals: PeriodicTask;
  readonly #sweeps: PeriodicTask;
  #lastCleanupMs = 0;

  constructor(parts: PaymentCollectorParts) {
    this.#parts = parts;
    const onError = parts.onFault;
    this.#renewals = new PeriodicTask({
      intervalMs: limits.settlementRenewalMs,
      run: () => this.#renew(),
      onError,
    });
    this.#sweeps = new PeriodicTask({
      intervalMs: limits.settlementSweepMs,
      run: () => this.#sweep(),
      onError,
    });
  }

  /** Renews the leases of its own payments and returns abandoned ones, at intervals. */
  start(): void {
    this.#renewals.start();
    this.#sweeps.start();
    this.#sweeps.trigger();
  }

  async close(): Promise<void> {
    await Promise.all([this.#renewals.stop(), this.#sweeps.stop()]);
  }

  /** The number of open payments in this process. */
  get openPayments(): number {
    return this.#openPayments.size;
  }

  /** Consumes the challenge and reserves the price. */
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
      // The sweep of abandoned payments clears up an unknown result later.
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
    const { settlements, clock } = this.#parts;
    const lease = { holder: this.#holder, untilMs: clock.now() + limits.settlementLeaseMs };
    await settlements.renew([...this.#openPayments], lease);
  }

  async #sweep(): Promise<void> {
    const { settlements, clock, onFault } = this.#parts;
    const nowMs = clock.now();
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
  }

  /** Its process delivered no answer: returns the reserved or captured amount to the payer. */
  async #giveBackAbandoned(settlement: Settlement): Promise<void> {
    const { settlements, processor: paymentProcessor, clock } = this.#parts;
    const intentState = await paymentProcessor.find(settlement);
    // The processor may still be executing the request: look for it again later.
    if (intentState === undefined && clock.now() - settlement.atMs < limits.settlementUnknownMs) return;
    if (intentState?.state === 'held') await paymentProcessor.cancel(intentState.intent);
    if (intentState?.state === 'paid') await paymentProcessor.refund(intentState.intent);
    await settlements.giveBack(settlement, intentState?.state === 'paid' ? 'refunded' : 'cancelled');
  }
}
