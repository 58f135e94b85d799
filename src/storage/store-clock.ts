import { type Clock, systemClock } from '../lib/clock.ts';
import { limits } from './limits.ts';

/** Resolves to the store's time in Unix milliseconds; rejects if the store is unavailable. */
type ReadTime = () => Promise<number>;

interface StoreClockParts {
  /** Called when this machine's clock becomes wrong, and when it is right again. */
  readonly onSkew?: (skewMs: number, isWrong: boolean) => void;
  readonly ownClock?: Clock;
}

/**
 * The time of a store that replicas share, so that they agree on days and months even if the clock of a machine is wrong.
 * Between measurements, the monotonic clock of this process counts. Before the first one it is this machine's time.
 */
export class StoreClock implements Clock {
  readonly #parts: StoreClockParts;
  readonly #ownClock: Clock;
  /** The store's time when `performance.now()` was 0. */
  #offsetMs: number | undefined;
  #isWrong = false;
  #readTime: ReadTime | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: StoreClockParts = {}) {
    this.#parts = parts;
    this.#ownClock = parts.ownClock ?? systemClock;
  }

  now(): number {
    return this.#offsetMs === undefined
      ? this.#ownClock.now()
      : Math.floor(this.#offsetMs + performance.now());
  }

  get isMeasured(): boolean {
    return this.#offsetMs !== undefined;
  }

  /** How far this machine's clock is ahead; negative if it is behind. */
  get skewMs(): number {
    return this.#ownClock.now() - this.now();
  }

  /** Measures at once and regularly. Resolves after the first measurement, even if it failed. */
  async start(readTime: ReadTime): Promise<void> {
    this.#readTime = readTime;
    this.#timer = setInterval(() => void this.measure(), limits.clockMeasureMs).unref();
    await this.measure();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Keeps the previous measurement if the store is unavailable or too slow for a better one. */
  async measure(): Promise<void> {
    const askedAtMs = performance.now();
    const storeMs = await this.#readTime?.().catch(() => undefined);
    if (storeMs === undefined) return;
    const tripMs = performance.now() - askedAtMs;
    if (this.isMeasured && tripMs > limits.clockTripMsMax) return;
    this.#offsetMs = storeMs - (askedAtMs + tripMs / 2);
    this.#checkSkew();
  }

  #checkSkew(): void {
    const { skewMs } = this;
    const isWrong = Math.abs(skewMs) > limits.clockSkewMsMax;
    if (isWrong === this.#isWrong) return;
    this.#isWrong = isWrong;
    this.#parts.onSkew?.(skewMs, isWrong);
  }
}
