import type { NanoUsd } from '../kernel/money.ts';
import type {
  BudgetHoldRequest,
  BudgetWindows,
  SpentBefore,
  SpentByWindow,
  WindowName,
} from '../kernel/ports/budget.ts';

/** What one key spent in the current day and month: plain data, in memory or in a shared document. */
export interface BudgetCount {
  readonly starts: { day: number; month: number };
  readonly spent: { day: NanoUsd; month: NanoUsd };
  /** The costs of a rolling window, by the start of their day or hour. */
  parts?: Record<string, NanoUsd>;
}

/** If several windows are exhausted the longest is reported: waiting for the end of a shorter one would not help. */
const windowsLongestFirst = ['rolling', 'month', 'day'] as const satisfies readonly WindowName[];
const calendarWindows = ['month', 'day'] as const;

export function beginBudget({ day, month }: BudgetWindows, { parts, ...spent }: SpentBefore): BudgetCount {
  return {
    starts: { day: day.startMs, month: month.startMs },
    spent: { day: spent.day, month: spent.month },
    ...(parts !== undefined && {
      parts: Object.fromEntries(parts.map(({ startMs, amount }) => [startMs, amount])),
    }),
  };
}

/** A new day or month starts at zero, and a rolling window loses its oldest part. Holds count in the new window too, because they will be settled there. */
export function advanceBudget({ starts, spent, parts }: BudgetCount, windows: BudgetWindows): void {
  for (const window of calendarWindows)
    if (windows[window].startMs > starts[window]) {
      starts[window] = windows[window].startMs;
      spent[window] = 0;
    }
  const { rolling } = windows;
  if (rolling === undefined || parts === undefined) return;
  for (const start of Object.keys(parts)) if (Number(start) < rolling.startMs) delete parts[start];
}

export function spendBudget(count: BudgetCount, { rolling }: BudgetWindows, cost: NanoUsd): void {
  count.spent.day += cost;
  count.spent.month += cost;
  if (rolling === undefined || cost === 0) return;
  count.parts ??= {};
  const parts = count.parts;
  parts[rolling.partStartMs] = (parts[rolling.partStartMs] ?? 0) + cost;
}

/** What was spent in each window, once the count has advanced to them. */
export function spentOf({ spent, parts = {} }: BudgetCount, { rolling }: BudgetWindows): SpentByWindow {
  if (rolling === undefined) return { ...spent };
  const costs = Object.entries(parts).filter(([, amount]) => amount > 0);
  const sum = costs.reduce((all, [, amount]) => all + amount, 0);
  const sinceMs = Math.min(...costs.map(([start]) => Number(start)));
  return { ...spent, rolling: sum, ...(costs.length > 0 && { rollingSinceMs: sinceMs }) };
}

type HoldDecision =
  | {
      readonly outcome: 'refused';
      readonly window: WindowName;
      readonly spent: NanoUsd;
      readonly held: NanoUsd;
      readonly sinceMs?: number;
    }
  | { readonly outcome: 'granted'; readonly amount: NanoUsd };

/** How much of the amount fits under all ceilings beside what is held. */
export function decideHold(
  spent: SpentByWindow,
  { ceilings, amount, least }: Pick<BudgetHoldRequest, 'ceilings' | 'amount' | 'least'>,
  held: NanoUsd,
): HoldDecision {
  let granted = amount;
  for (const window of windowsLongestFirst) {
    const { [window]: used = 0, rollingSinceMs: sinceMs } = spent;
    const left = (ceilings[window] ?? Number.POSITIVE_INFINITY) - used - held;
    const since = window === 'rolling' && sinceMs !== undefined ? { sinceMs } : {};
    if (left < least) return { outcome: 'refused', window, spent: used, held, ...since };
    granted = Math.min(granted, left);
  }
  return { outcome: 'granted', amount: granted };
}
