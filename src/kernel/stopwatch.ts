/** Measures somebody's own time, and gives them up when they keep others waiting for too long at a stretch. */
export class Stopwatch {
  readonly #stretchMs: number;
  readonly #giveUps = new Set<(failure: Error) => void>();
  #ms = 0;
  #tasks = 0;
  #waits = 0;
  #startedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #expired = false;

  constructor(stretchMs: number) {
    this.#stretchMs = stretchMs;
  }

  /** Time at work, without what was waited for. */
  get ms(): number {
    return this.#isRunning ? this.#ms + performance.now() - this.#startedAt : this.#ms;
  }

  get expired(): boolean {
    return this.#expired;
  }

  /** Rejects when the task takes too long. */
  async run<Done>(task: () => Promise<Done>): Promise<Done> {
    const { promise: tooLong, reject } = Promise.withResolvers<never>();
    this.#giveUps.add(reject);
    this.#change(1, 0);
    try {
      return await Promise.race([task(), tooLong]);
    } finally {
      this.#change(-1, 0);
      this.#giveUps.delete(reject);
    }
  }

  /** Somebody else's time. */
  async paused<Done>(inner: Promise<Done>): Promise<Done> {
    this.#change(0, 1);
    try {
      return await inner;
    } finally {
      this.#change(0, -1);
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  get #isRunning(): boolean {
    return this.#tasks > 0 && this.#waits === 0;
  }

  #change(tasks: number, waits: number): void {
    const wasRunning = this.#isRunning;
    this.#tasks += tasks;
    this.#waits += waits;
    if (wasRunning === this.#isRunning) return;
    const now = performance.now();
    if (wasRunning) this.#ms += now - this.#startedAt;
    else {
      this.#startedAt = now;
      // One timer for many stretches: when it fires it looks how long the present one is.
      this.#timer ??= setTimeout(() => this.#look(), this.#stretchMs);
    }
  }

  #look(): void {
    this.#timer = undefined;
    if (!this.#isRunning) return;
    const leftMs = this.#startedAt + this.#stretchMs - performance.now();
    // Timers may fire a fraction of a millisecond early.
    if (leftMs > 1) {
      this.#timer = setTimeout(() => this.#look(), leftMs);
      return;
    }
    this.#expired = true;
    const failure = new Error(`it took more than ${this.#stretchMs / 1000} s at a stretch`);
    for (const giveUp of this.#giveUps) giveUp(failure);
  }
}
