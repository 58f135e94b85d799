import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../telemetry/log.ts';
import { limits } from './limits.ts';
import type { WorkerStartOptions, WorkerStartResult } from './rpc-methods.ts';
import type { WorkerPool } from './worker-pool.ts';
import type { WorkerProcess } from './worker-process.ts';

export interface WorkerGroupParts {
  readonly pool: WorkerPool;
  readonly startOptions: WorkerStartOptions;
  readonly size: number;
  readonly log: Log;
}

/** Workers with the same settings; replaces one that ends unexpectedly. */
export class WorkerGroup {
  readonly #parts: WorkerGroupParts;
  readonly #workers = new Set<WorkerProcess>();
  readonly #stopping = new AbortController();
  /** Consecutive workers that ended soon after their start. */
  #failures = 0;

  #startOptions: WorkerStartOptions;

  constructor(parts: WorkerGroupParts) {
    this.#parts = parts;
    this.#startOptions = parts.startOptions;
  }

  /** Resolves when all serve; if it rejects, all are stopped. */
  async start(): Promise<WorkerStartResult> {
    try {
      const others = Array.from({ length: this.#parts.size - 1 }, () => this.#startWorker());
      const [workerStartResult] = await Promise.all([this.#startWorker(), ...others]);
      this.#startOptions = { ...this.#startOptions, isJoining: true };
      return workerStartResult;
    } catch (cause) {
      await this.kill();
      throw cause;
    }
  }

  /** Stops accepting connections; resolves when all workers have confirmed or are stuck. */
  async stopAccepting(): Promise<void> {
    await Promise.allSettled([...this.#workers].map((worker) => worker.stopAccepting()));
  }

  /** Stops accepting connections and ends when open ones have ended. */
  handOver(graceMs: number): Promise<void> {
    return this.#forEachWorker((worker) => worker.handOver(graceMs));
  }

  async reopenLogs(): Promise<void> {
    await Promise.allSettled([...this.#workers].map((worker) => worker.reopenLog()));
  }

  /** Reports not ready to load balancers, and keeps serving. */
  announceShutdown(): Promise<void> {
    return this.#forEachWorker((worker) => worker.announceShutdown());
  }

  /** Rejects new calls and waits for open ones. */
  drain(graceMs: number): Promise<void> {
    return this.#forEachWorker((worker) => worker.drain(graceMs));
  }

  close(): Promise<void> {
    return this.#forEachWorker((worker) => worker.close());
  }

  kill(): Promise<void> {
    return this.#forEachWorker((worker) => worker.kill());
  }

  /** From now on workers are not replaced; one that fails has ended. */
  async #forEachWorker(work: (worker: WorkerProcess) => Promise<unknown>): Promise<void> {
    this.#stopping.abort();
    await Promise.allSettled([...this.#workers].map(work));
  }

  async #startWorker(): Promise<WorkerStartResult> {
    const worker = this.#parts.pool.fork();
    this.#workers.add(worker);
    void worker.exited.then(() => this.#workers.delete(worker));
    const workerStartResult = await worker.start(this.#startOptions);
    const readyAtMs = performance.now();
    void worker.exited.then((how) => this.#onExit(worker, how, performance.now() - readyAtMs));
    return workerStartResult;
  }

  async #onExit({ name, pid }: WorkerProcess, how: string, ranMs: number): Promise<void> {
    const { pool, log } = this.#parts;
    if (this.#stopping.signal.aborted) return;
    pool.countReplacement();
    log.error({ worker: name, process: pid, how }, 'a worker ended unexpectedly and is replaced');
    this.#failures = ranMs < limits.workerSteadyMs ? this.#failures + 1 : 1;
    await this.#replace();
  }

  async #replace(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted)
      try {
        await sleep(restartDelayMs(this.#failures), undefined, { signal });
        await this.#startWorker();
        return;
      } catch (cause) {
        this.#failures++;
        if (!signal.aborted) this.#parts.log.error({ err: cause }, 'could not replace a worker; will retry');
      }
  }
}

function restartDelayMs(failures: number): number {
  return failures < 2
    ? 0
    : Math.min(limits.workerRestartPauseMsMin * 2 ** (failures - 2), limits.workerRestartPauseMsMax);
}
