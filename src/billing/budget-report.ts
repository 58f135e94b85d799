import type { NanoUsd } from '../kernel/money.ts';
import { callBudgetHolder } from '../kernel/ports/budget.ts';
import type { UsageStore } from '../kernel/ports/records.ts';
import { isCountedByHour, isForEach, type StoredBudget } from '../kernel/ports/stored-budgets.ts';
import { endOfWindow } from './current-windows.ts';
import { limits } from './limits.ts';
import type { KeyBudgetState, SpendingLimiter } from './spending-limiter.ts';
import { daysOf } from './spent.ts';
import type { UsageRecorder } from './usage-recorder.ts';

/** What is used of a budget: by all of its calls, or by those of one end user or with one value of a tag. */
export interface BudgetUse {
  /** Empty unless each end user or value has the budget by itself. */
  readonly value: string;
  readonly spent: NanoUsd;
  /** Held for calls in flight, which may cost as much. */
  readonly held: NanoUsd;
  readonly renewsAtMs: number;
}

/** A budget and who is nearest to its limit. */
export interface ReportedBudget {
  readonly budget: StoredBudget;
  /** The largest first. */
  readonly uses: readonly BudgetUse[];
}

interface BudgetReportParts {
  readonly spending: Pick<SpendingLimiter, 'statesOf' | 'windowsOf'>;
  readonly usage: Pick<UsageRecorder, 'tags' | 'budgetHours'>;
}

interface ValueCost {
  readonly value: string;
  readonly costNanoUsd: NanoUsd;
}

/** Who approaches the limit of which budget. */
export class BudgetReport {
  readonly #parts: BudgetReportParts;

  constructor(parts: BudgetReportParts) {
    this.#parts = parts;
  }

  /** In the order of the budgets. */
  async of(budgets: readonly StoredBudget[]): Promise<readonly ReportedBudget[]> {
    const values = await Promise.all(budgets.map((budget) => this.#valuesOf(budget)));
    const holders = budgets.flatMap((budget, at) =>
      (values[at] ?? []).map((value) => callBudgetHolder({ budget, value })),
    );
    const states = (await this.#parts.spending.statesOf(holders)).values();
    return budgets.map((budget, at) => ({
      budget,
      uses: (values[at] ?? [])
        .flatMap((value) => {
          const { value: state } = states.next();
          return state === undefined ? [] : [describeUse(budget, value, state)];
        })
        .sort((one, other) => amountOf(other) - amountOf(one)),
    }));
  }

  /** Of each end user and each value, those that have spent the most. */
  async #valuesOf(budget: StoredBudget): Promise<readonly string[]> {
    if (!isForEach(budget.scope)) return [''];
    const sums = new Map<string, NanoUsd>();
    for (const { value, costNanoUsd } of await this.#costsOf(budget))
      if (value !== '') sums.set(value, (sums.get(value) ?? 0) + costNanoUsd);
    return [...sums]
      .toSorted(([, one], [, other]) => other - one)
      .slice(0, limits.budgetValuesShownMax)
      .map(([value]) => value);
  }

  #costsOf(budget: StoredBudget): Promise<readonly ValueCost[]> {
    const { spending, usage } = this.#parts;
    const { accountId, id: budgetId, scope, period } = budget;
    const windows = spending.windowsOf(callBudgetHolder({ budget, value: '' }));
    const fromMs = (windows[period.kind] ?? windows.month).startMs;
    if (isCountedByHour(budget) || scope.kind !== 'tag')
      return usage.budgetHours({ accountId, budgetId, fromMs });
    const from = new Date(fromMs).toISOString().slice(0, 10);
    const query: Parameters<UsageStore['tags']>[0] = { accountId, from, to: daysOf(windows).to };
    return usage.tags({ ...query, tag: scope.tag });
  }
}

/** What is used of the limit; 1 for all of it. */
export function shareOf({ budget, uses }: ReportedBudget): number {
  const [most] = uses;
  return most === undefined ? 0 : amountOf(most) / budget.limitNanoUsd;
}

function amountOf({ spent, held }: BudgetUse): NanoUsd {
  return spent + held;
}

function describeUse(
  { period }: StoredBudget,
  value: string,
  { spent, held, windows }: KeyBudgetState,
): BudgetUse {
  const { rollingSinceMs: sinceMs } = spent;
  const window = { window: period.kind, ...(sinceMs !== undefined && { sinceMs }) };
  return { value, spent: spent[period.kind] ?? 0, held, renewsAtMs: endOfWindow(window, windows) };
}
