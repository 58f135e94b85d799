/**
 * Converts times of the performance clock to microseconds since 1970. The system clock has milliseconds only, and the
 * performance clock does not follow its corrections: so the difference of both is taken again once they are apart.
 */
export class EpochClock {
  #offsetMs = performance.timeOrigin;

  toEpochUs(atMs: number): number {
    return Math.round((atMs + this.#offsetMs) * 1000);
  }

  /** Follows the system clock. */
  adjust(): void {
    const offsetMs = Date.now() - performance.now();
    if (Math.abs(offsetMs - this.#offsetMs) > toleranceMs) this.#offsetMs = offsetMs;
  }
}

const toleranceMs = 5;
