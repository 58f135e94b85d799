import { GatewayError } from '../kernel/errors.ts';

/** Work of which only some goes on at once and only some may wait; who comes after that is told to come back. */
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

  /** Whoever waits longest takes the place over, so that nobody slips in between. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running--;
    else next();
  }
}
