import { limits } from '../kernel/limits.ts';
import { type Listed, OpenList } from '../kernel/open-list.ts';

/** A body on its way in. */
export class IncomingBody implements Listed {
  place = -1;
  bytes = 0;
  readonly startedAtMs = performance.now();
  readonly cut: () => void;

  constructor(cut: () => void) {
    this.cut = cut;
  }
}

/** Cuts off who sends a body so slowly that they only keep it open. One look at all of them now and then. */
export class SlowBodies {
  readonly #open = new OpenList<IncomingBody>();
  readonly #graceMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(graceMs: number = limits.slowBodyGraceMs) {
    this.#graceMs = graceMs;
  }

  add(body: IncomingBody): void {
    this.#open.add(body);
    this.#timer ??= setInterval(() => this.#look(), Math.min(1000, this.#graceMs)).unref();
  }

  delete(body: IncomingBody): void {
    this.#open.delete(body);
  }

  #look(): void {
    const nowMs = performance.now();
    for (const body of this.#open.snapshot()) {
      const lateMs = nowMs - body.startedAtMs - this.#graceMs;
      if (lateMs > 0 && body.bytes < (lateMs / 1000) * limits.slowBodyBytesPerSecond) body.cut();
    }
    if (this.#open.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
