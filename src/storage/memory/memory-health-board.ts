import type { HealthBoard, HealthReport } from '../../kernel/ports/health.ts';
import type { Clock } from '../../lib/clock.ts';
import { limits } from '../limits.ts';

interface ExpiringReport {
  readonly report: HealthReport;
  readonly untilMs: number;
}

/** Health reports in the memory of one process. */
export class MemoryHealthBoard implements HealthBoard {
  readonly #clock: Clock;
  readonly #namesMax: number;
  /** By target, in the order of publication, then by process. */
  readonly #reports = new Map<string, Map<string, ExpiringReport>>();

  constructor(clock: Clock, namesMax: number = limits.healthNamesMax) {
    this.#clock = clock;
    this.#namesMax = namesMax;
  }

  get size(): number {
    return this.#reports.size;
  }

  async publish(name: string, processId: string, report: HealthReport): Promise<void> {
    const byProcess = this.#reports.get(name) ?? new Map<string, ExpiringReport>();
    byProcess.set(processId, { report, untilMs: this.#clock.now() + limits.healthLifeMs });
    this.#reports.delete(name);
    this.#reports.set(name, byProcess);
    const [oldest] = this.#reports.keys();
    if (this.#reports.size > this.#namesMax && oldest !== undefined) this.#reports.delete(oldest);
  }

  async read(names: readonly string[]): Promise<readonly ReadonlyMap<string, HealthReport>[]> {
    return names.map((name) => this.#current(name));
  }

  #current(name: string): ReadonlyMap<string, HealthReport> {
    const current = new Map<string, HealthReport>();
    const byProcess = this.#reports.get(name);
    for (const [processId, { report, untilMs }] of byProcess ?? [])
      if (untilMs > this.#clock.now()) current.set(processId, report);
      else byProcess?.delete(processId);
    return current;
  }
}
