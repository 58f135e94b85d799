import { Lru } from '../../module-api.ts';
import { limits } from './limits.ts';

/**
 * Bounds the calls that an account makes in addition, so that retries never multiply an outage: each call earns a
 * tenth of an additional one.
 */
export class RetryBudgets {
  readonly #left = new Lru<number>(limits.accountsMax);

  /** Counts a call. */
  earn(scope: string): void {
    this.#left.set(scope, Math.min(limits.extraCallsMin, this.#leftOf(scope) + limits.extraShare));
  }

  /** Takes an additional call; false if none is left. */
  spend(scope: string): boolean {
    const left = this.#leftOf(scope);
    if (left < 1) return false;
    this.#left.set(scope, left - 1);
    return true;
  }

  #leftOf(scope: string): number {
    return this.#left.get(scope) ?? limits.extraCallsMin;
  }
}
