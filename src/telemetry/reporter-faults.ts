import type { Clock } from '../lib/clock.ts';
import type { CallReporter } from './call-reporter.ts';
import { limits } from './limits.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { Counter } from './series.ts';

interface ReporterFaultsParts {
  readonly reporters: readonly CallReporter[];
  readonly metrics: Pick<Metrics, 'reporterFaults'>;
  readonly log: Pick<Log, 'error'>;
  readonly clock: Clock;
}

/** Counts the exceptions of reporters. Logs one a minute of each: a broken reporter fails with every call. */
export class ReporterFaults {
  readonly #log: Pick<Log, 'error'>;
  readonly #clock: Clock;
  readonly #counters: ReadonlyMap<string, Counter>;
  readonly #loggedAtMs = new Map<string, number>();

  constructor({ reporters, metrics, log, clock }: ReporterFaultsParts) {
    this.#log = log;
    this.#clock = clock;
    this.#counters = new Map(reporters.map(({ name }) => [name, metrics.reporterFaults(name)]));
  }

  record(reporter: string, err: unknown): void {
    const counter = this.#counters.get(reporter);
    if (counter !== undefined) counter.value++;
    const nowMs = this.#clock.now();
    if (nowMs - (this.#loggedAtMs.get(reporter) ?? Number.NEGATIVE_INFINITY) < limits.reporterFaultLogMs)
      return;
    this.#loggedAtMs.set(reporter, nowMs);
    this.#log.error(
      { reporter, err },
      'a reporter of calls failed; its next faults are counted, and logged once a minute',
    );
  }
}
