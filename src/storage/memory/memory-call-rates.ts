import type { CallRates, RateDecision, RatedCall, RateSettlement } from '../../kernel/ports/call-rates.ts';
import type { CounterName } from '../../kernel/ports/counters.ts';
import type { Clock } from '../../lib/clock.ts';
import { type CallRate, createCallRate, expiryOf, renewCall, settleCall, takeCall } from '../call-rate.ts';
import { limits } from '../limits.ts';

/** Rates of calls for a gateway that runs as one process. */
export class MemoryCallRates implements CallRates {
  readonly #clock: Clock;
  readonly #callersMax: number;
  /** By scope and name; the caller with the latest call is last. */
  readonly #rates = new Map<string, CallRate>();

  constructor(clock: Clock, callersMax: number = limits.ratedCallersMax) {
    this.#clock = clock;
    this.#callersMax = callersMax;
  }

  /** The number of callers in memory. */
  get size(): number {
    return this.#rates.size;
  }

  async take(caller: CounterName, call: RatedCall): Promise<RateDecision> {
    return takeCall(this.#rateOf(caller), call, this.#clock.now());
  }

  async renew(caller: CounterName, lease: Pick<RatedCall, 'id' | 'lifeMs'>): Promise<void> {
    renewCall(this.#rateOf(caller), lease, this.#clock.now());
  }

  async settle(caller: CounterName, settlement: RateSettlement): Promise<void> {
    settleCall(this.#rateOf(caller), settlement, this.#clock.now());
  }

  erase(scope: string): void {
    for (const key of this.#rates.keys()) if (key.startsWith(`${scope}\n`)) this.#rates.delete(key);
  }

  #rateOf({ scope, name }: CounterName): CallRate {
    const key = `${scope}\n${name}`;
    const rate = this.#rates.get(key) ?? createCallRate();
    this.#rates.delete(key);
    if (this.#rates.size >= this.#callersMax) this.#makeRoom();
    this.#rates.set(key, rate);
    return rate;
  }

  /** Evicts a tenth at least, so that this runs rarely: those that count nothing first, then the longest without a call. */
  #makeRoom(): void {
    const nowMs = this.#clock.now();
    for (const [key, rate] of this.#rates) if (expiryOf(rate) <= nowMs) this.#rates.delete(key);
    const sizeMax = Math.floor(this.#callersMax * 0.9);
    for (const key of this.#rates.keys()) {
      if (this.#rates.size <= sizeMax) break;
      this.#rates.delete(key);
    }
  }
}
