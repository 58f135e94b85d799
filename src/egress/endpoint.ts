import type { Dispatcher, Pool } from 'undici';
import type { Tally } from './destinations.ts';

/** An address with its connections. */
export class Endpoint {
  /** Prefix of the API's paths. */
  readonly basePath: string;
  readonly #pool: Pool;
  readonly #tally: Tally;

  constructor(pool: Pool, basePath: string, tally: Tally) {
    this.#pool = pool;
    this.basePath = basePath;
    this.#tally = tally;
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#tally.requests++;
    this.#pool.dispatch(options, handler);
  }

  /** Responses in flight still complete. */
  close(): Promise<void> {
    return this.#pool.close();
  }

  /** Ends open responses, too. */
  destroy(): Promise<void> {
    return this.#pool.destroy();
  }
}
