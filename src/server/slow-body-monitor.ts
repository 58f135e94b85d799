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
  #timer: NodeJS.Timeout | undefined;

  constructor(graceMs: number = limits.slowBodyGraceMs) {
    this.#graceMs = graceMs;
  }

  add(body: IncomingBody): void {
    this.#open.add(body);
    this.#timer ??= setInterval(() => this.#sweep(), Math.min(1000, this.#graceMs)).unref();
  }

  delete(body: IncomingBody): void {
    this.#open.delete(body);
  }

  #sweep(): void {
    const nowMs = performance.now();
    for (const body of this.#open.snapshot()) {
      const lateMs = nowMs - body.startedAtMs - this.#graceMs;
      if (lateMs > 0 && body.bytes < (lateMs / 1000) * limits.slowBodyBytesPerSecond) body.abort();
    }
    if (this.#open.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
