import { limits } from './limits.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';

/** A request that was answered with an error and is not among the calls. */
export interface Refusal {
  readonly status: number;
  /** One of our own codes, never a caller's text: the number of metric series depends on it. */
  readonly code: string;
}

interface RefusalsParts {
  readonly metrics: Pick<Metrics, 'recordRefusal'>;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly intervalMs?: number;
}

/** Counts refused requests. Logs the first ones of each kind in an interval, and the number of the others at its end. */
export class Refusals {
  readonly #parts: RefusalsParts;
  /** By status and code. */
  readonly #recent = new Map<string, RecentRefusals>();
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: RefusalsParts) {
    this.#parts = parts;
  }

  record(refusal: Refusal, facts: object): void {
    const { status, code } = refusal;
    this.#parts.metrics.recordRefusal(status, code);
    const kind = `${status} ${code}`;
    const recent = this.#recent.get(kind) ?? { refusal, count: 0 };
    this.#recent.set(kind, recent);
    if (++recent.count <= limits.refusalLines) this.#write(refusal, facts, 'a request was refused');
    const { intervalMs = limits.refusalIntervalMs } = this.#parts;
    this.#timer ??= setTimeout(() => this.flush(), intervalMs).unref();
  }

  /** Logs how many requests had no line, and starts a new interval. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const { refusal, count } of this.#recent.values()) {
      const more = count - limits.refusalLines;
      if (more > 0) this.#write(refusal, { more }, `and ${more} more requests were refused`);
    }
    this.#recent.clear();
  }

  /** Most refusals are faults of clients; those from 500 on are ours. */
  #write({ status, code }: Refusal, facts: object, message: string): void {
    this.#parts.log[status < 500 ? 'info' : 'warn']({ status, code, ...facts }, message);
  }
}

interface RecentRefusals {
  readonly refusal: Refusal;
  count: number;
}
