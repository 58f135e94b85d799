import { addressBlock } from '../lib/address-block.ts';
import type { Clock } from '../lib/clock.ts';
import { limits } from './limits.ts';

/**
 * Limits calls that cost the operator money and were not paid: a client that repeatedly disconnects before the first
 * content would spend the operator's money. Counts per process and for a limited time.
 */
export class UnpaidCallLimiter {
  readonly #clock: Clock;
  readonly #byAddress = new Map<string, { calls: number; readonly untilMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Seconds to wait; 0 if the address may continue. */
  retryAfterSeconds(address: string): number {
    const counter = this.#byAddress.get(addressBlock(address));
    const leftMs = (counter?.untilMs ?? 0) - this.#clock.now();
    if (counter === undefined || leftMs <= 0 || counter.calls < limits.unpaidCallsPerAddress.most) return 0;
    return Math.ceil(leftMs / 1000);
  }

  recordUnpaidCall(address: string): void {
    const name = addressBlock(address);
    const nowMs = this.#clock.now();
    const counter = this.#byAddress.get(name);
    if (counter !== undefined && counter.untilMs > nowMs) {
      counter.calls++;
      return;
    }
    this.#byAddress.delete(name);
    this.#byAddress.set(name, { calls: 1, untilMs: nowMs + limits.unpaidCallsPerAddress.seconds * 1000 });
    const [oldest] = this.#byAddress.keys();
    if (this.#byAddress.size > limits.unpaidCallAddressesMax && oldest !== undefined)
      this.#byAddress.delete(oldest);
  }
}
