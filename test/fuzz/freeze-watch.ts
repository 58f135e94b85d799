import { Worker } from 'node:worker_threads';

/** No work of one turn takes as long, unless it never ends. */
const frozenMs = 60_000;

/** Ends the process where its event loop doesn't turn any more, and tells what was under way: nobody else can then. */
export class FreezeWatch {
  readonly #worker = new Worker(new URL('./freeze-watcher.ts', import.meta.url), { workerData: frozenMs });
  readonly #turning = setInterval(() => this.#worker.postMessage('turn'), 1000);

  /** What is told from now on. */
  note(doing: string): void {
    this.#worker.postMessage(doing);
  }

  async close(): Promise<void> {
    clearInterval(this.#turning);
    await this.#worker.terminate();
  }
}
