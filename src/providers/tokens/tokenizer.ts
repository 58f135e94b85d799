import { Worker } from 'node:worker_threads';

export interface ToCount {
  readonly id: number;
  readonly texts: readonly string[];
}

export interface Counted {
  readonly id: number;
  readonly tokens: number;
}

/** Counts the tokens of texts in OpenAI's newest public vocabulary; its thread starts with the first count. */
export class Tokenizer {
  readonly #waiting = new Map<number, PromiseWithResolvers<number>>();
  #worker: Worker | undefined;
  #lastId = 0;

  /** Counts that have not ended. */
  get open(): number {
    return this.#waiting.size;
  }

  count(texts: readonly string[]): Promise<number> {
    const worker = this.#started();
    const id = ++this.#lastId;
    const counted = Promise.withResolvers<number>();
    this.#waiting.set(id, counted);
    worker.ref();
    worker.postMessage({ id, texts } satisfies ToCount);
    return counted.promise;
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #started(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(new URL('./tokenizer-worker.ts', import.meta.url), { execArgv: [] });
    worker.on('message', ({ id, tokens }: Counted) => {
      this.#waiting.get(id)?.resolve(tokens);
      this.#waiting.delete(id);
      // An idle thread doesn't keep the process alive.
      if (this.#waiting.size === 0) worker.unref();
    });
    worker.on('error', (failure) => this.#lost(worker, failure));
    worker.on('exit', () => this.#lost(worker, new Error('the tokenizer has ended')));
    this.#worker = worker;
    return worker;
  }

  /** The next count starts another thread. */
  #lost(worker: Worker, failure: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    for (const counted of this.#waiting.values()) counted.reject(failure);
    this.#waiting.clear();
  }
}
