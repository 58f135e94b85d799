import { withTimeout } from '../lib/with-timeout.ts';
import { limits } from './limits.ts';

interface BackgroundTasksParts {
  /** Called when a task fails or times out. */
  onFault(module: string, fault: unknown): void;
  readonly waitingMax?: number;
  readonly eachMs?: number;
}

interface BackgroundTask {
  readonly module: string;
  run(): Promise<void>;
  /** Releases what the task retains of its call. */
  readonly release: (() => void) | undefined;
}

/** Tasks that modules run after a call: a few at a time, in a bounded queue. */
export class BackgroundTasks {
  readonly #parts: BackgroundTasksParts;
  readonly #waiting: BackgroundTask[] = [];
  #running = 0;
  #dropped = 0;
  #idleListeners: (() => void)[] = [];

  constructor(parts: BackgroundTasksParts) {
    this.#parts = parts;
  }

  get waiting(): number {
    return this.#waiting.length + this.#running;
  }

  /** Number of tasks dropped because the queue was full. */
  get dropped(): number {
    return this.#dropped;
  }

  add(backgroundTask: BackgroundTask): void {
    if (this.#waiting.length >= (this.#parts.waitingMax ?? limits.backgroundTasksWaiting)) {
      this.#dropped++;
      backgroundTask.release?.();
      return;
    }
    this.#waiting.push(backgroundTask);
    if (this.#running < limits.backgroundTasksAtOnce) void this.#runTasks();
  }

  /** Waits for all tasks; false if some are left after `withinMs`. */
  async flush(withinMs: number): Promise<boolean> {
    if (this.waiting === 0) return true;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#idleListeners.push(resolve);
    return withTimeout(promise, withinMs, () => new Error('background tasks are still running')).then(
      () => true,
      () => false,
    );
  }

  async #runTasks(): Promise<void> {
    this.#running++;
    for (
      let backgroundTask = this.#waiting.shift();
      backgroundTask !== undefined;
      backgroundTask = this.#waiting.shift()
    ) {
      const { module, run, release } = backgroundTask;
      try {
        const tooLong = () => new Error('the background task timed out');
        await withTimeout(run(), this.#parts.eachMs ?? limits.backgroundTaskMs, tooLong);
      } catch (fault) {
        this.#parts.onFault(module, fault);
      } finally {
        release?.();
      }
    }
    this.#running--;
    if (this.#running > 0) return;
    for (const done of this.#idleListeners.splice(0)) done();
  }
}
