import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '../kernel/limits.ts';
import type { Log } from '../telemetry/log.ts';
import type { Started, StartOrder } from './questions.ts';
import type { WorkerProcess } from './worker-process.ts';
import type { Workforce } from './workforce.ts';

export interface CrewParts {
  readonly workforce: Workforce;
  readonly order: StartOrder;
  readonly size: number;
  readonly log: Log;
}

/** Workers with the same settings. One that ends by itself is replaced. */
export class Crew {
  readonly #parts: CrewParts;
  readonly #workers = new Set<WorkerProcess>();
  readonly #leaving = new AbortController();
  /** Workers that ended soon after their start, one after the other. */
  #failures = 0;

  #order: StartOrder;

  constructor(parts: CrewParts) {
    this.#parts = parts;
    this.#order = parts.order;
  }

  /** All of them serve, or none is left when this rejects. */
  async start(): Promise<Started> {
    try {
      const others = Array.from({ length: this.#parts.size - 1 }, () => this.#hire());
      const [started] = await Promise.all([this.#hire(), ...others]);
      this.#order = { ...this.#order, isJoining: true };
      return started;
    } catch (cause) {
      await this.kill();
      throw cause;
    }
  }

  /** Leaves new connections to others; resolves when all have heard it, or are stuck. */
  async leave(): Promise<void> {
    await Promise.allSettled([...this.#workers].map((worker) => worker.leave()));
  }

  /** Leaves new connections to others and ends when its own are gone. */
  handOver(graceMs: number): Promise<void> {
    return this.#each((worker) => worker.handOver(graceMs));
  }

  async reopenLogs(): Promise<void> {
    await Promise.allSettled([...this.#workers].map((worker) => worker.reopenLog()));
  }

  /** Tells balancers to go elsewhere, and serves on. */
  announce(): Promise<void> {
    return this.#each((worker) => worker.announce());
  }

  /** Refuses new calls and waits for those that are open. */
  drain(graceMs: number): Promise<void> {
    return this.#each((worker) => worker.drain(graceMs));
  }

  close(): Promise<void> {
    return this.#each((worker) => worker.close());
  }

  kill(): Promise<void> {
    return this.#each((worker) => worker.kill());
  }

  /** From now on nobody is replaced; who can't do it has ended. */
  async #each(work: (worker: WorkerProcess) => Promise<unknown>): Promise<void> {
    this.#leaving.abort();
    await Promise.allSettled([...this.#workers].map(work));
  }

  async #hire(): Promise<Started> {
    const worker = this.#parts.workforce.fork();
    this.#workers.add(worker);
    void worker.exited.then(() => this.#workers.delete(worker));
    const started = await worker.start(this.#order);
    const readyAtMs = performance.now();
    void worker.exited.then((how) => this.#ended(worker, how, performance.now() - readyAtMs));
    return started;
  }

  async #ended({ name, pid }: WorkerProcess, how: string, ranMs: number): Promise<void> {
    const { workforce, log } = this.#parts;
    if (this.#leaving.signal.aborted) return;
    workforce.noteReplaced();
    log.error({ worker: name, process: pid, how }, 'a process ended by itself and is replaced');
    this.#failures = ranMs < limits.workerSteadyMs ? this.#failures + 1 : 1;
    await this.#replace();
  }

  async #replace(): Promise<void> {
    const { signal } = this.#leaving;
    while (!signal.aborted)
      try {
        await sleep(restMs(this.#failures), undefined, { signal });
        await this.#hire();
        return;
      } catch (cause) {
        this.#failures++;
        if (!signal.aborted) this.#parts.log.error({ err: cause }, 'a process could not be replaced yet');
      }
  }
}

function restMs(failures: number): number {
  return failures < 2 ? 0 : Math.min(limits.workerRestMsMin * 2 ** (failures - 2), limits.workerRestMsMax);
}
