import { limits } from './limits.ts';
import { type Listed, OpenList } from './open-list.ts';

/** Looks at everybody's time now and then: a timer for each of them would cost more than most of them take. */
export class Timekeeper {
  readonly #running = new OpenList<Stopwatch>();
  #timer: NodeJS.Timeout | undefined;

  add(stopwatch: Stopwatch): void {
    this.#running.add(stopwatch);
    this.#timer ??= setInterval(() => this.#look(), limits.timekeepingMs);
  }

  delete(stopwatch: Stopwatch): void {
    this.#running.delete(stopwatch);
  }

  #look(): void {
    const nowMs = performance.now();
    for (const stopwatch of this.#running.snapshot()) stopwatch.look(nowMs);
    if (this.#running.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

type GiveUp = (failure: Error) => void;

/** Measures somebody's own time, and gives them up when they keep others waiting for too long at a stretch. */
export class Stopwatch implements Listed {
  place = -1;
  readonly #timekeeper: Timekeeper;
  readonly #stretchMs: number;
  readonly #giveUps: GiveUp[] = [];
  #ms = 0;
  #tasks = 0;
  #waits = 0;
  #startedAt = 0;
  #expired = false;

  constructor(timekeeper: Timekeeper, stretchMs: number) {
    this.#timekeeper = timekeeper;
    this.#stretchMs = stretchMs;
  }

  /** Time at work, without what was waited for. */
  get ms(): number {
    return this.#isRunning ? this.#ms + performance.now() - this.#startedAt : this.#ms;
  }

  get expired(): boolean {
    return this.#expired;
  }

  /** Rejects when the task takes too long. */
  run<Done>(task: () => Promise<Done>): Promise<Done> {
    return new Promise((resolve, reject) => {
      this.#giveUps.push(reject);
      this.#change(1, 0);
      const done = () => {
        this.#change(-1, 0);
        this.#giveUps.splice(this.#giveUps.indexOf(reject), 1);
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

  /** Somebody else's time. */
  async paused<Done>(inner: Promise<Done>): Promise<Done> {
    this.#change(0, 1);
    try {
      return await inner;
    } finally {
      this.#change(0, -1);
    }
  }

  /** Nobody waits any more. */
  stop(): void {
    this.#timekeeper.delete(this);
  }

  look(nowMs: number): void {
    if (!this.#isRunning || nowMs - this.#startedAt < this.#stretchMs) return;
    this.#expired = true;
    this.stop();
    const failure = new Error(`it took more than ${this.#stretchMs / 1000} s at a stretch`);
    for (const giveUp of [...this.#giveUps]) giveUp(failure);
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
      this.#timekeeper.delete(this);
    } else {
      this.#startedAt = now;
      this.#timekeeper.add(this);
    }
  }
}
