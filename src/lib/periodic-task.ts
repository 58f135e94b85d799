interface PeriodicTaskParts<Result> {
  readonly intervalMs: number;
  /** The signal is aborted once the task is to stop: a long run ends early. */
  run(signal: AbortSignal): Promise<Result>;
  /** Called for a failed run that the interval began; the next one follows at its time. */
  onError(error: unknown): void;
}

/** A task that runs at intervals, once at a time. The interval keeps no process alive. */
export class PeriodicTask<Result = void> {
  readonly #parts: PeriodicTaskParts<Result>;
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<Result> | undefined;

  constructor(parts: PeriodicTaskParts<Result>) {
    this.#parts = parts;
  }

  /** The signal of every run. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** The first run begins after one interval. */
  start(): void {
    this.#timer = setInterval(() => this.trigger(), this.#parts.intervalMs).unref();
  }

  /** Begins a run unless one is in progress; failures go to `onError`. */
  trigger(): void {
    if (this.#running === undefined) this.run().catch((error: unknown) => this.#parts.onError(error));
  }

  /** Begins a run, or joins the one in progress. */
  run(): Promise<Result> {
    this.#running ??= this.#parts.run(this.signal).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Resolves when no run is in progress. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort();
    await this.#running?.catch(() => undefined);
  }
}
