import { IntrusiveList, type IntrusiveListItem } from '../lib/intrusive-list.ts';
import { limits } from './limits.ts';

/** A body that is being received. */
export class IncomingBody implements IntrusiveListItem {
  listIndex = -1;
  bytes = 0;
  startedAtMs = performance.now();
  readonly abort: () => void;

  constructor(cut: () => void) {
    this.abort = cut;
  }
}

/** Ends bodies that arrive too slowly, by checking all of them periodically. */
export class SlowBodyMonitor {
  readonly #open = new IntrusiveList<IncomingBody>();
  readonly #graceMs: number;
  readonly #intervalMs: number;
  #sweptAtMs = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(graceMs: number = limits.slowBodyGraceMs) {
    this.#graceMs = graceMs;
    this.#intervalMs = Math.min(1000, graceMs);
  }

  add(body: IncomingBody): void {
    this.#open.add(body);
    if (this.#timer !== undefined) return;
    this.#sweptAtMs = performance.now();
    this.#timer = setInterval(() => this.#sweep(), this.#intervalMs).unref();
  }

  delete(body: IncomingBody): void {
    this.#open.delete(body);
  }

  #sweep(): void {
    const nowMs = performance.now();
    // What arrives while this thread is held up is read after this.
    const sinceLastMs = nowMs - this.#sweptAtMs;
    const isHeldUp = sinceLastMs > 2 * this.#intervalMs;
    this.#sweptAtMs = nowMs;
    for (const body of this.#open.snapshot()) {
      if (isHeldUp) body.startedAtMs += Math.min(sinceLastMs, nowMs - body.startedAtMs);
      const lateMs = nowMs - body.startedAtMs - this.#graceMs;
      if (lateMs > 0 && body.bytes < (lateMs / 1000) * limits.slowBodyBytesPerSecond) body.abort();
    }
    if (this.#open.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
