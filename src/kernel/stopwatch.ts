import { IntrusiveList, type IntrusiveListItem } from '../lib/intrusive-list.ts';
import { limits } from './limits.ts';

/** Checks all deadlines periodically: a timer for each would cost more than most tasks take. */
export class DeadlineTimer {
  readonly #running = new IntrusiveList<Stopwatch>();
  #timer: NodeJS.Timeout | undefined;

  add(stopwatch: Stopwatch): void {
    this.#running.add(stopwatch);
    this.#timer ??= setInterval(() => this.#checkAll(), limits.moduleDeadlineCheckMs);
  }

  delete(stopwatch: Stopwatch): void {
    this.#running.delete(stopwatch);
  }

  #checkAll(): void {
    const nowMs = performance.now();
    for (const stopwatch of this.#running.snapshot()) stopwatch.checkDeadline(nowMs);
    if (this.#running.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

type Reject = (failure: Error) => void;

/** Measures a module's own time, and rejects its tasks if they exceed the deadline without a break. */
export class Stopwatch implements IntrusiveListItem {
  listIndex = -1;
  readonly #deadlineTimer: DeadlineTimer;
  readonly #stretchMs: number;
  readonly #rejects: Reject[] = [];
  #ms = 0;
  #tasks = 0;
  #waits = 0;
  #startedAt = 0;
  #expired = false;

  constructor(deadlineTimer: DeadlineTimer, stretchMs: number) {
    this.#deadlineTimer = deadlineTimer;
    this.#stretchMs = stretchMs;
  }

  /** Own time, without waiting for inner modules. */
  get ms(): number {
    return this.#isRunning ? this.#ms + performance.now() - this.#startedAt : this.#ms;
  }

  get expired(): boolean {
    return this.#expired;
  }

  /** Rejects if the task exceeds the deadline. */
  run<Done>(task: () => Promise<Done>): Promise<Done> {
    return new Promise((resolve, reject) => {
      this.#rejects.push(reject);
      this.#change(1, 0);
      const done = () => {
        this.#change(-1, 0);
        this.#rejects.splice(this.#rejects.indexOf(reject), 1);
      };
      task().then(
        (result) => {
          done();
          resolve(result);
        },
        (failure) => {
          done();
          reject(failure);
        },
      );
    });
  }

  /** Excludes the time of `inner`. */
  async pauseDuring<Done>(inner: Promise<Done>): Promise<Done> {
    this.#change(0, 1);
    try {
      return await inner;
    } finally {
      this.#change(0, -1);
    }
  }

  /** Stops checking the deadline. */
  stop(): void {
    this.#deadlineTimer.delete(this);
  }

  checkDeadline(nowMs: number): void {
    if (!this.#isRunning || nowMs - this.#startedAt < this.#stretchMs) return;
    this.#expired = true;
    this.stop();
    const failure = new Error(`the module exceeded its deadline of ${this.#stretchMs / 1000} s`);
    for (const reject of [...this.#rejects]) reject(failure);
  }

  get #isRunning(): boolean {
    return this.#tasks > 0 && this.#waits === 0;
  }

  #change(tasks: number, waits: number): void {
    const wasRunning = this.#isRunning;
    this.#tasks += tasks;
    this.#waits += waits;
    if (wasRunning === this.#isRunning) return;
    const now = performance.now();
    if (wasRunning) {
      this.#ms += now - this.#startedAt;
      this.#deadlineTimer.delete(this);
    } else {
      this.#startedAt = now;
      this.#deadlineTimer.add(this);
    }
  }
}
