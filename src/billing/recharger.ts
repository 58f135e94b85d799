import { randomUUID } from 'node:crypto';
import type { BillingAccounts, DueRechargeQuery, Recharge, Recharges } from '../kernel/ports/billing.ts';
import type { Clock } from '../lib/clock.ts';
import { PeriodicTask } from '../lib/periodic-task.ts';
import type { BillingProcessor, ProcessorPayment } from './billing-processor.ts';
import type { CreditPurchases } from './credit-purchases.ts';
import { limits } from './limits.ts';

export interface RechargerParts {
  readonly billing: BillingAccounts;
  readonly recharges: Recharges;
  readonly purchases: CreditPurchases;
  readonly processor: Pick<BillingProcessor, 'savedPaymentMethod' | 'charge' | 'findCharge'>;
  readonly clock: Clock;
  onFault(cause: unknown): void;
  readonly sweepMs?: number;
}

/**
 * Buys credits automatically when few are left. Each charge is stored first and made with its own idempotency key: a
 * process that finds an abandoned one repeats the request and gets its result.
 */
export class Recharger {
  readonly #parts: RechargerParts;
  /** Accounts being processed here. */
  readonly #checks = new Map<string, Promise<void>>();
  readonly #sweeps: PeriodicTask;

  constructor(parts: RechargerParts) {
    this.#parts = parts;
    this.#sweeps = new PeriodicTask({
      intervalMs: parts.sweepMs ?? limits.rechargeSweepMs,
      run: () => this.#sweep(),
      onError: parts.onFault,
    });
  }

  /** Picks up abandoned recharges, now and at intervals. */
  start(): void {
    this.#sweeps.start();
    this.#sweeps.trigger();
  }

  async close(): Promise<void> {
    await Promise.all([this.#sweeps.stop(), ...this.#checks.values()]);
  }

  /** Never rejects. */
  sweep(): Promise<void> {
    return this.#sweeps.run().catch(this.#parts.onFault);
  }

  /** Recharges the account if it is due; never rejects. */
  rechargeIfDue(accountId: string): Promise<void> {
    const looking =
      this.#checks.get(accountId) ??
      this.#rechargeIfDue(accountId)
        .catch(this.#parts.onFault)
        .finally(() => this.#checks.delete(accountId));
    this.#checks.set(accountId, looking);
    return looking;
  }

  /** Handles a payment that may be a recharge. */
  async onPayment({ rechargeId, state }: ProcessorPayment): Promise<void> {
    if (rechargeId !== undefined && state === 'failed')
      await this.#parts.recharges.decline(rechargeId, paymentFailedReason);
  }

  async #sweep(): Promise<void> {
    const { recharges, clock } = this.#parts;
    const nowMs = clock.now();
    const left = await recharges.takeOver({
      nowMs,
      untilMs: nowMs + limits.rechargeLeaseMs,
      most: limits.rechargesAtOnce,
    });
    for (const recharge of left) await this.#resume(recharge).catch(this.#parts.onFault);
    for (const accountId of await recharges.due(this.#dueQuery())) await this.rechargeIfDue(accountId);
  }

  async #rechargeIfDue(accountId: string): Promise<void> {
    const { billing, recharges, processor, clock } = this.#parts;
    const { customerId, autoRecharge, failures } = await billing.get(accountId);
    if (customerId === null || (await recharges.due(this.#dueQuery(accountId))).length === 0) return;
    let method: string | undefined;
    try {
      method = await processor.savedPaymentMethod(customerId);
    } catch (cause) {
      await billing.backOff(accountId, clock.now() + backoffMs(failures));
      throw cause;
    }
    if (method === undefined) {
      await billing.stopAutoRecharge(accountId, 'no payment method is saved');
      return;
    }
    const atMs = clock.now();
    const recharge: Recharge = {
      id: `rch_${randomUUID()}`,
      accountId,
      customerId,
      method,
      credits: autoRecharge.amount,
      atMs,
      untilMs: atMs + limits.rechargeLeaseMs,
    };
    if (await recharges.open(recharge, this.#dueQuery().most)) await this.#charge(recharge);
  }

  #dueQuery(accountId?: string): DueRechargeQuery {
    const nowMs = this.#parts.clock.now();
    const most = { sinceMs: nowMs - limits.rechargeWindowMs, recharges: limits.rechargesInWindow };
    return { nowMs, most, accountId, limit: limits.rechargesAtOnce };
  }

  /** The processor remembers idempotency keys for a day. Older or unwanted charges are looked up, not requested again. */
  async #resume(recharge: Recharge): Promise<void> {
    const { billing, recharges, processor, clock } = this.#parts;
    const isYoung = clock.now() - recharge.atMs < limits.rechargeKeyLifeMs;
    const { autoRecharge } = await billing.get(recharge.accountId);
    if (isYoung && autoRecharge.enabled) return this.#charge(recharge);
    const intentId = await processor.findCharge(recharge);
    if (intentId === undefined) await recharges.abandon(recharge.id);
    else await this.#syncPayment(intentId);
  }

  async #charge(recharge: Recharge): Promise<void> {
    const { billing, recharges, processor, clock, onFault } = this.#parts;
    const chargeResult = await processor.charge(recharge);
    if (chargeResult.outcome === 'made') return this.#syncPayment(chargeResult.intentId);
    if (chargeResult.outcome === 'declined')
      return void (await recharges.decline(recharge.id, chargeResult.why));
    // It stays open and is retried later.
    const { failures } = await billing.get(recharge.accountId);
    const nextTryMs = clock.now() + backoffMs(failures);
    await billing.backOff(recharge.accountId, nextTryMs);
    await recharges.postpone(recharge.id, nextTryMs);
    onFault(chargeResult.cause);
  }

  async #syncPayment(intentId: string): Promise<void> {
    const payment = await this.#parts.purchases.syncPayment(intentId);
    if (payment !== undefined) await this.onPayment(payment);
  }
}

const paymentFailedReason = 'the payment failed';

/** Exponential backoff. */
function backoffMs(failures: number): number {
  return Math.min(limits.rechargePauseMs * 2 ** failures, limits.rechargePauseMsMax);
}
