import type { BudgetHour, UsageStore } from '../kernel/ports/records.ts';

/** A budget that is counted by the hour, and whose part of it a call has used. */
export type HourlyBudget = Pick<BudgetHour, 'budgetId' | 'value'>;

export type BudgetHoursQuery = Parameters<UsageStore['budgetHours']>[0];

type WritableHour = { -readonly [Field in keyof BudgetHour]: BudgetHour[Field] };

const hourLengthMs = 3_600_000;

export function hourOf(atMs: number): number {
  return Math.floor(atMs / hourLengthMs) * hourLengthMs;
}

/** What budgets that are counted by the hour have spent, and is not stored yet. */
export class BudgetHourTally {
  readonly #hours = new Map<string, WritableHour>();

  get size(): number {
    return this.#hours.size;
  }

  /** Returns the changed sum. */
  add(accountId: string, { budgetId, value }: HourlyBudget, atMs: number, costNanoUsd: number): BudgetHour {
    const hourMs = hourOf(atMs);
    const name = `${accountId}\n${budgetId}\n${hourMs}\n${value}`;
    const sum = this.#hours.get(name) ?? { accountId, budgetId, value, hourMs, costNanoUsd: 0 };
    this.#hours.set(name, sum);
    sum.costNanoUsd += costNanoUsd;
    return sum;
  }

  find({ accountId, budgetId, value, fromMs }: BudgetHoursQuery): readonly BudgetHour[] {
    return this.rows().filter(
      (sum) =>
        sum.accountId === accountId &&
        sum.budgetId === budgetId &&
        (value === undefined || sum.value === value) &&
        sum.hourMs >= fromMs,
    );
  }

  rows(): readonly BudgetHour[] {
    return [...this.#hours.values()];
  }
}
