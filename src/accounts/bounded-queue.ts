import { GatewayError } from '../kernel/errors.ts';

/** Limits concurrent and waiting work; rejects more with `busy`. */
export class BoundedQueue {
  readonly #atOnce: number;
  readonly #waitingMax: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor({ atOnce, waitingMax }: { readonly atOnce: number; readonly waitingMax: number }) {
    this.#atOnce = atOnce;
    this.#waitingMax = waitingMax;
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.#enter();
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  #enter(): Promise<void> | undefined {
    if (this.#running < this.#atOnce) {
      this.#running++;
      return undefined;
    }
    if (this.#waiting.length >= this.#waitingMax)
      throw new GatewayError('busy', 'too many requests at once; try again in a moment', {
        retryAfterSeconds: 1,
      });
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Hands the slot to the longest waiting, so that no other call takes it in between. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running--;
    else next();
  }
}
