import type { Worker } from 'node:worker_threads';
import { startThread } from '../../lib/threads.ts';

export interface CountRequest {
  readonly id: number;
  readonly texts: readonly string[];
}

export interface CountResult {
  readonly id: number;
  readonly tokens: number;
}

/** Counts tokens in OpenAI's newest public vocabulary; the first count starts its thread. */
export class Tokenizer {
  readonly #pending = new Map<number, PromiseWithResolvers<number>>();
  #worker: Worker | undefined;
  #lastId = 0;

  /** Number of unfinished counts. */
  get pendingCounts(): number {
    return this.#pending.size;
  }

  count(texts: readonly string[]): Promise<number> {
    const worker = this.#ensureWorker();
    const id = ++this.#lastId;
    const result = Promise.withResolvers<number>();
    this.#pending.set(id, result);
    worker.ref();
    worker.postMessage({ id, texts } satisfies CountRequest);
    return result.promise;
  }

  /** Starts the thread before there is anything to count. */
  start(): void {
    this.#ensureWorker().unref();
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #ensureWorker(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = startThread(new URL('./tokenizer-worker.ts', import.meta.url));
    worker.on('message', ({ id, tokens }: CountResult) => {
      this.#pending.get(id)?.resolve(tokens);
      this.#pending.delete(id);
      // An idle thread doesn't keep the process alive.
      if (this.#pending.size === 0) worker.unref();
    });
    worker.on('error', (failure) => this.#onWorkerLost(worker, failure));
    worker.on('exit', () => this.#onWorkerLost(worker, new Error('the tokenizer thread exited')));
    this.#worker = worker;
    return worker;
  }

  /** The next count starts another thread. */
  #onWorkerLost(worker: Worker, failure: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    for (const result of this.#pending.values()) result.reject(failure);
    this.#pending.clear();
  }
}
