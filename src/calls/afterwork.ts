import { limits } from '../kernel/limits.ts';
import { within } from '../kernel/within.ts';

interface AfterworkParts {
  /** Told of work that failed or took too long. */
  onFault(module: string, fault: unknown): void;
  readonly waitingMax?: number;
  readonly eachMs?: number;
}

interface Task {
  readonly module: string;
  run(): Promise<void>;
  /** Of what it needs of its call. */
  readonly letGo: (() => void) | undefined;
}

/** What modules do when nobody waits for it any more: a few things at a time, and no more than can wait. */
export class Afterwork {
  readonly #parts: AfterworkParts;
  readonly #waiting: Task[] = [];
  #running = 0;
  #leftUndone = 0;
  #whenDone: (() => void)[] = [];

  constructor(parts: AfterworkParts) {
    this.#parts = parts;
  }

  get waiting(): number {
    return this.#waiting.length + this.#running;
  }

  /** Work that there was no room for. */
  get leftUndone(): number {
    return this.#leftUndone;
  }

  add(task: Task): void {
    if (this.#waiting.length >= (this.#parts.waitingMax ?? limits.afterworkWaiting)) {
      this.#leftUndone++;
      task.letGo?.();
      return;
    }
    this.#waiting.push(task);
    if (this.#running < limits.afterworkAtOnce) void this.#go();
  }

  /** Waits for all of it; false where some is left when the time is over. */
  async flush(withinMs: number): Promise<boolean> {
    if (this.waiting === 0) return true;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#whenDone.push(resolve);
    return within(promise, withinMs, () => new Error('there is work left')).then(
      () => true,
      () => false,
    );
  }

  async #go(): Promise<void> {
    this.#running++;
    for (let task = this.#waiting.shift(); task !== undefined; task = this.#waiting.shift()) {
      const { module, run, letGo } = task;
      try {
        const tooLong = () => new Error('it took too long');
        await within(run(), this.#parts.eachMs ?? limits.afterworkMs, tooLong);
      } catch (fault) {
        this.#parts.onFault(module, fault);
      } finally {
        letGo?.();
      }
    }
    this.#running--;
    if (this.#running > 0) return;
    for (const done of this.#whenDone.splice(0)) done();
  }
}
