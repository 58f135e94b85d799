import { limits } from './limits.ts';

/** Events for one client, held until it reads them. */
export class EventStream {
  readonly #signal: AbortSignal;
  readonly #keepAlive: NodeJS.Timeout;
  #waiting: string[] = [];
  #bytes = 0;
  #isEnded = false;
  #wake: (() => void) | undefined;
  readonly #start = Promise.withResolvers<void>();
  readonly #end = new AbortController();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    this.#keepAlive = setInterval(() => {
      if (this.#waiting.length === 0) this.comment();
    }, limits.keepAliveMs).unref();
    signal.addEventListener('abort', () => this.end());
  }

  /** Resolves with the first event. */
  get started(): Promise<void> {
    return this.#start.promise;
  }

  /** Aborted at the end. */
  get ended(): AbortSignal {
    return this.#end.signal;
  }

  /** Sends a message that the client needs. */
  send(json: string): void {
    this.#push(`event: message\ndata: ${json}\n\n`);
  }

  /** Sends a message that a client does without if it reads too slowly. */
  offer(json: string): void {
    if (this.#bytes < limits.streamBytesMax) this.send(json);
  }

  /** Keeps the connection open. */
  comment(): void {
    this.#push(streamComment);
  }

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearInterval(this.#keepAlive);
    this.#end.abort();
    this.#wake?.();
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        if (this.#signal.aborted) return;
        if (this.#waiting.length > 0) {
          const text = this.#waiting.join('');
          this.#waiting = [];
          this.#bytes = 0;
          yield Buffer.from(text);
        } else if (this.#isEnded) return;
        else {
          const { promise, resolve } = Promise.withResolvers<void>();
          this.#wake = resolve;
          await promise;
        }
      }
    } finally {
      this.end();
    }
  }

  #push(text: string): void {
    if (this.#isEnded) return;
    this.#waiting.push(text);
    this.#bytes += text.length;
    this.#start.resolve();
    this.#wake?.();
  }
}

/** It is no part of an answer, and of no receipt. */
export const streamComment = ': weir\n\n';

export const streamHeaders: readonly string[] = [
  'cache-control',
  'no-cache, no-transform',
  'x-accel-buffering',
  'no',
];
