import { randomUUID } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import { limits } from '../kernel/limits.ts';
import type { Challenge, Challenges } from '../kernel/ports/payments.ts';
import type { Settlement, Settlements } from '../kernel/ports/settlements.ts';
import type { Secret } from '../kernel/secret.ts';
import { Payment } from './payment.ts';
import type { Processor } from './processor.ts';

export interface CashierParts {
  readonly challenges: Pick<Challenges, 'consume'>;
  readonly settlements: Settlements;
  readonly processor: Processor;
  readonly clock: Clock;
  onFault(cause: unknown): void;
}

export type Begun =
  | { readonly outcome: 'held'; readonly payment: Payment }
  /** Somebody else is paying with the challenge. */
  | { readonly outcome: 'consumed' }
  | { readonly outcome: 'refused'; readonly why: string };

/** Takes payments: each is written down before the processor is asked, so that one that was left is found and given back. */
export class Cashier {
  readonly #parts: CashierParts;
  readonly #holder = randomUUID();
  readonly #open = new Set<string>();
  #timers: readonly NodeJS.Timeout[] = [];
  #sweeping: Promise<void> | undefined;
  #tidiedAtMs = 0;

  constructor(parts: CashierParts) {
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
  get open(): number {
    return this.#open.size;
  }

  /** Uses the challenge up, and has the price reserved. */
  async begin({ id: challengeId }: Challenge, token: Secret): Promise<Begun> {
    const { challenges, settlements, processor, clock } = this.#parts;
    const atMs = clock.now();
    const attempt = await challenges.consume(challengeId, atMs);
    if (attempt === undefined) return { outcome: 'consumed' };
    const names = { id: `${challengeId}.${attempt}`, challengeId, attempt };
    const { id } = names;
    const untilMs = atMs + limits.settlementLeaseMs;
    this.#open.add(id);
    try {
      await settlements.open({ ...names, intent: null, atMs, holder: this.#holder, untilMs });
      const held = await processor.hold({ id, token });
      if (held.outcome === 'held') {
        await settlements.held(id, held.intent);
        const { intent } = held;
        const settled = () => this.#open.delete(id);
        const payment = new Payment({ ...this.#parts, settled }, { ...names, intent, holder: this.#holder });
        return { outcome: 'held', payment };
      }
      this.#open.delete(id);
      // What nobody knows is found out later, by whoever finds it left.
      if (held.outcome === 'unknown')
        return {
          outcome: 'refused',
          why: 'the payment processor does not answer; whatever it may hold is given back within minutes',
        };
      await settlements.giveBack(names, 'cancelled');
      return { outcome: 'refused', why: held.why };
    } catch (fault) {
      this.#open.delete(id);
      throw fault;
    }
  }

  async #renew(): Promise<void> {
    const { settlements, clock, onFault } = this.#parts;
    const lease = { holder: this.#holder, untilMs: clock.now() + limits.settlementLeaseMs };
    await settlements.renew([...this.#open], lease).catch(onFault);
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
      await Promise.all(left.map((settlement) => this.#resolve(settlement).catch(onFault)));
      if (nowMs - this.#tidiedAtMs < limits.settlementsTidyMs) return;
      this.#tidiedAtMs = nowMs;
      await settlements.tidy({ beforeMs: nowMs - limits.settlementKeptMs, most: limits.settlementsKept });
    } catch (fault) {
      onFault(fault);
    }
  }

  /** Whoever began it answered nobody: what was held or taken goes back to the payer. */
  async #resolve(settlement: Settlement): Promise<void> {
    const { settlements, processor, clock } = this.#parts;
    const found = await processor.find(settlement);
    // The processor may still be about to do what it was asked for: it is looked for again.
    if (found === undefined && clock.now() - settlement.atMs < limits.settlementUnknownMs) return;
    if (found?.state === 'held') await processor.cancel(found.intent);
    if (found?.state === 'paid') await processor.refund(found.intent);
    await settlements.giveBack(settlement, found?.state === 'paid' ? 'refunded' : 'cancelled');
  }
}
