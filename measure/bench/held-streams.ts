import type { Pool } from 'undici';
import { type SentCall, send } from './send.ts';

/** How far streams that are held open have come. */
export interface Progress {
  readonly bytes: number;
  /** Those that ended by themselves. */
  readonly failures: number;
}

/** Streams that are opened all at once and held until they are released. */
export class HeldStreams {
  /** Resolves when each has brought something, or has failed. */
  readonly opened: Promise<void>;
  readonly #pool: Pool;
  #bytes = 0;
  #failures = 0;

  constructor(pool: Pool, sent: SentCall, streams: number) {
    this.#pool = pool;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.opened = promise;
    let begun = 0;
    const begin = (): void => {
      begun += 1;
      if (begun === streams) resolve();
    };
    const onBytes = (total: number, piece: number): void => {
      if (total === piece) begin();
      this.#bytes += piece;
    };
    for (let stream = 0; stream < streams; stream += 1) {
      void send(pool, { ...sent, onBytes }).then(({ bytes }) => {
        this.#failures += 1;
        if (bytes === 0) begin();
      });
    }
  }

  get progress(): Progress {
    return { bytes: this.#bytes, failures: this.#failures };
  }

  /** The client goes away, and its connections with it. */
  release(): Promise<void> {
    return this.#pool.destroy();
  }
}
