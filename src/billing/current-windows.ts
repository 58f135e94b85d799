import type { BudgetWindows } from '../kernel/ports/budget.ts';
import type { Clock } from '../lib/clock.ts';
import { monthOf } from './period.ts';

const dayMs = 86_400_000;

/** The day and the month of a clock. */
export class CurrentWindows {
  readonly #clock: Clock;
  #last: BudgetWindows | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): BudgetWindows {
    const nowMs = this.#clock.now();
    const last = this.#last;
    if (last !== undefined && nowMs >= last.day.startMs && nowMs < last.day.endMs) return last;
    const startMs = Math.floor(nowMs / dayMs) * dayMs;
    this.#last = { day: { startMs, endMs: startMs + dayMs }, month: monthOf(nowMs) };
    return this.#last;
  }
}
