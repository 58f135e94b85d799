import { addressBlock } from '../kernel/address-block.ts';
import type { Clock } from '../kernel/clock.ts';
import { limits } from '../kernel/limits.ts';

/**
 * Calls that the operator paid a provider for and nobody paid the operator for: whoever leaves again and again before the
 * first content would spend the operator's money. Known to this process alone, and only those of a while.
 */
export class UnpaidCallLimiter {
  readonly #clock: Clock;
  readonly #byAddress = new Map<string, { calls: number; readonly untilMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Seconds to wait; 0 for an address that may go on. */
  retryAfterSeconds(address: string): number {
    const known = this.#byAddress.get(addressBlock(address));
    const leftMs = (known?.untilMs ?? 0) - this.#clock.now();
    if (known === undefined || leftMs <= 0 || known.calls < limits.unpaidCallsPerAddress.most) return 0;
    return Math.ceil(leftMs / 1000);
  }

  recordUnpaidCall(address: string): void {
    const name = addressBlock(address);
    const nowMs = this.#clock.now();
    const known = this.#byAddress.get(name);
    if (known !== undefined && known.untilMs > nowMs) {
      known.calls++;
      return;
    }
    this.#byAddress.delete(name);
    this.#byAddress.set(name, { calls: 1, untilMs: nowMs + limits.unpaidCallsPerAddress.seconds * 1000 });
    const [oldest] = this.#byAddress.keys();
    if (this.#byAddress.size > limits.unpaidCallAddressesMax && oldest !== undefined)
      this.#byAddress.delete(oldest);
  }
}
