import type { NanoUsd } from '../kernel/money.ts';
import type { BudgetHoldRequest, BudgetWindows, SpentByWindow, WindowName } from '../kernel/ports/budget.ts';

/** What one key spent in the current day and month: plain data, in memory or in a shared document. */
export interface BudgetCount {
  readonly starts: { day: number; month: number };
  readonly spent: { day: NanoUsd; month: NanoUsd };
}

/** If both windows are exhausted the longer is reported: waiting for the end of the shorter would not help. */
const windowsLongestFirst: readonly WindowName[] = ['month', 'day'];

export function beginBudget({ day, month }: BudgetWindows, spent: SpentByWindow): BudgetCount {
  return { starts: { day: day.startMs, month: month.startMs }, spent: { ...spent } };
}

/** A new day or month starts at zero. Holds count in the new window too, because they will be settled there. */
export function advanceBudget({ starts, spent }: BudgetCount, windows: BudgetWindows): void {
  for (const window of windowsLongestFirst)
    if (windows[window].startMs > starts[window]) {
      starts[window] = windows[window].startMs;
      spent[window] = 0;
    }
}

export function spendBudget({ spent }: Pick<BudgetCount, 'spent'>, cost: NanoUsd): void {
  spent.day += cost;
  spent.month += cost;
}

type HoldDecision =
  | {
      readonly outcome: 'refused';
      readonly window: WindowName;
      readonly spent: NanoUsd;
      readonly held: NanoUsd;
    }
  | { readonly outcome: 'granted'; readonly amount: NanoUsd };

/** How much of the amount fits under all ceilings beside what is held. */
export function decideHold(
  { spent }: BudgetCount,
  { ceilings, amount, least }: Pick<BudgetHoldRequest, 'ceilings' | 'amount' | 'least'>,
  held: NanoUsd,
): HoldDecision {
  let granted = amount;
  for (const window of windowsLongestFirst) {
    const left = (ceilings[window] ?? Number.POSITIVE_INFINITY) - spent[window] - held;
    if (left < least) return { outcome: 'refused', window, spent: spent[window], held };
    granted = Math.min(granted, left);
  }
  return { outcome: 'granted', amount: granted };
}
