/** An observation of the event loop from another thread. */
export interface Sample {
  /** Increases while the event loop turns. */
  readonly turns: number;
  readonly nowMs: number;
  /** CPU time of the whole process so far. */
  readonly cpuMs: number;
}

export interface StallBounds {
  readonly limitMs: number;
  /** A loop that waits without using CPU gets this many times as long: a disk may hang. */
  readonly blockedFactor: number;
}

/** Measures for how long an event loop has not turned, from samples that are taken at short intervals. */
export class StallDetector {
  readonly #bounds: StallBounds;
  #since: Sample;
  #last: Sample;

  constructor(bounds: StallBounds, first: Sample) {
    this.#bounds = bounds;
    this.#since = first;
    this.#last = first;
  }

  add(sample: Sample): void {
    // If this thread did not run either, the process was stopped, or the machine was suspended or overloaded.
    const wasPaused = sample.nowMs - this.#last.nowMs > this.#bounds.limitMs / 2;
    if (wasPaused || sample.turns !== this.#last.turns) this.#since = sample;
    this.#last = sample;
  }

  get ms(): number {
    return this.#last.nowMs - this.#since.nowMs;
  }

  /** A process that is merely short of CPU time uses little of it, and its loop turns whenever it gets some. */
  get isFrozen(): boolean {
    const { limitMs, blockedFactor } = this.#bounds;
    const isBusy = this.#last.cpuMs - this.#since.cpuMs >= limitMs / 2;
    return this.ms >= (isBusy ? limitMs : limitMs * blockedFactor);
  }
}
