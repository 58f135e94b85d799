import { randomUUID } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import { limits } from '../kernel/limits.ts';
import type { BillingAccounts, DueQuestion, Recharge, Recharges } from '../kernel/ports/billing.ts';
import type { CreditPurchases } from './credit-purchases.ts';
import type { BillingProcessor, ProcessorPayment } from './processor.ts';

export interface RechargerParts {
  readonly billing: BillingAccounts;
  readonly recharges: Recharges;
  readonly purchases: CreditPurchases;
  readonly processor: Pick<BillingProcessor, 'savedMethod' | 'charge' | 'findCharge'>;
  readonly clock: Clock;
  onFault(cause: unknown): void;
  readonly sweepMs?: number;
}

/**
 * Buys credits for accounts that want it when few are left. Each charge is written down first, and made under a key of its
 * own: whoever finds it left asks for the same charge again, and gets what came of it.
 */
export class Recharger {
  readonly #parts: RechargerParts;
  /** What this process is looking at. */
  readonly #looking = new Map<string, Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #sweeping: Promise<void> | undefined;

  constructor(parts: RechargerParts) {
    this.#parts = parts;
  }

  /** Looks after what was left, now and from time to time. */
  start(): void {
    this.#timer = setInterval(() => void this.sweep(), this.#parts.sweepMs ?? limits.rechargeSweepMs);
    this.#timer.unref();
    void this.sweep();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([this.#sweeping, ...this.#looking.values()]);
  }

  /** Never rejects. */
  sweep(): Promise<void> {
    this.#sweeping ??= this.#sweep()
      .catch(this.#parts.onFault)
      .finally(() => {
        this.#sweeping = undefined;
      });
    return this.#sweeping;
  }

  /** Recharges the account if it is time to; never rejects. */
  look(accountId: string): Promise<void> {
    const looking =
      this.#looking.get(accountId) ??
      this.#look(accountId)
        .catch(this.#parts.onFault)
        .finally(() => this.#looking.delete(accountId));
    this.#looking.set(accountId, looking);
    return looking;
  }

  /** News of a payment that may have been a recharge. */
  async heard({ rechargeId, state }: ProcessorPayment): Promise<void> {
    if (rechargeId !== undefined && state === 'failed')
      await this.#parts.recharges.decline(rechargeId, failed);
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
    for (const accountId of await recharges.due(this.#question())) await this.look(accountId);
  }

  async #look(accountId: string): Promise<void> {
    const { billing, recharges, processor, clock } = this.#parts;
    const { customerId, autoRecharge, failures } = await billing.get(accountId);
    if (customerId === null || (await recharges.due(this.#question(accountId))).length === 0) return;
    let method: string | undefined;
    try {
      method = await processor.savedMethod(customerId);
    } catch (cause) {
      await billing.backOff(accountId, clock.now() + pauseMs(failures));
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
    if (await recharges.open(recharge, this.#question().most)) await this.#charge(recharge);
  }

  #question(accountId?: string): DueQuestion {
    const nowMs = this.#parts.clock.now();
    const most = { sinceMs: nowMs - limits.rechargeWindowMs, recharges: limits.rechargesInWindow };
    return { nowMs, most, accountId, limit: limits.rechargesAtOnce };
  }

  /** The processor remembers keys for a day. What is older, or isn't wanted any more, is looked for and not asked for. */
  async #resume(recharge: Recharge): Promise<void> {
    const { billing, recharges, processor, clock } = this.#parts;
    const isYoung = clock.now() - recharge.atMs < limits.rechargeKeyLifeMs;
    const { autoRecharge } = await billing.get(recharge.accountId);
    if (isYoung && autoRecharge.enabled) return this.#charge(recharge);
    const intentId = await processor.findCharge(recharge);
    if (intentId === undefined) await recharges.abandon(recharge.id);
    else await this.#follow(intentId);
  }

  async #charge(recharge: Recharge): Promise<void> {
    const { billing, recharges, processor, clock, onFault } = this.#parts;
    const charged = await processor.charge(recharge);
    if (charged.outcome === 'made') return this.#follow(charged.intentId);
    if (charged.outcome === 'declined') return void (await recharges.decline(recharge.id, charged.why));
    // It stays open, and is asked for again later.
    const { failures } = await billing.get(recharge.accountId);
    const nextTryMs = clock.now() + pauseMs(failures);
    await billing.backOff(recharge.accountId, nextTryMs);
    await recharges.postpone(recharge.id, nextTryMs);
    onFault(charged.cause);
  }

  async #follow(intentId: string): Promise<void> {
    const payment = await this.#parts.purchases.follow(intentId);
    if (payment !== undefined) await this.heard(payment);
  }
}

const failed = 'the payment failed';

/** Twice as long with each failure. */
function pauseMs(failures: number): number {
  return Math.min(limits.rechargePauseMs * 2 ** failures, limits.rechargePauseMsMax);
}
