import type { BudgetWindows, RollingWindow, WindowName } from '../kernel/ports/budget.ts';
import type { BudgetPeriod } from '../kernel/ports/stored-budgets.ts';
import type { Clock } from '../lib/clock.ts';
import { monthOf } from './period.ts';

const dayMs = 86_400_000;
const partMs = { day: dayMs, hour: 3_600_000 } as const;

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
  /** With the window of a budget that moves on. */
  of(period: BudgetPeriod | undefined): BudgetWindows {
    const windows = this.now();
    return period?.kind === 'rolling'
      ? { ...windows, rolling: rollingWindow(period, this.#clock.now()) }
      : windows;
  }
}

function rollingWindow(
  { parts, unit }: Extract<BudgetPeriod, { kind: 'rolling' }>,
  nowMs: number,
): RollingWindow {
  const partStartMs = Math.floor(nowMs / partMs[unit]) * partMs[unit];
  return {
    startMs: partStartMs - (parts - 1) * partMs[unit],
    endMs: partStartMs + partMs[unit],
    partStartMs,
  };
}

/** When the window has more room: a rolling one when its oldest part with a cost leaves it. */
export function endOfWindow(
  { window, sinceMs }: { readonly window: WindowName; readonly sinceMs?: number },
  windows: BudgetWindows,
): number {
  const { startMs, endMs } = windows[window] ?? windows.day;
  return window === 'rolling' && sinceMs !== undefined ? sinceMs + (endMs - startMs) : endMs;
}
