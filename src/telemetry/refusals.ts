import { RepeatedLines } from '../lib/repeated-lines.ts';
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
  readonly #lines: RepeatedLines;

  constructor(parts: RefusalsParts) {
    this.#parts = parts;
    this.#lines = new RepeatedLines(parts.intervalMs ?? limits.refusalIntervalMs, limits.refusalLines);
  }

  record(refusal: Refusal, facts: object): void {
    const { status, code } = refusal;
    this.#parts.metrics.recordRefusal(status, code);
    this.#lines.write(`${status} ${code}`, {
      first: () => this.#write(refusal, facts, 'a request was refused'),
      others: (more) => this.#write(refusal, { more }, `and ${more} more requests were refused`),
    });
  }

  /** Logs how many requests had no line, and starts a new interval. */
  flush(): void {
    this.#lines.flush();
  }

  /** Most refusals are faults of clients; those from 500 on are ours. */
  #write({ status, code }: Refusal, facts: object, message: string): void {
    this.#parts.log[status < 500 ? 'info' : 'warn']({ status, code, ...facts }, message);
  }
}
