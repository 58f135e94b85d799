import { limits as kernelLimits } from '../../kernel/limits.ts';
import type { NanoUsd } from '../../kernel/money.ts';
import type {
  BudgetHoldRequest,
  BudgetState,
  BudgetWindows,
  HoldOutcome,
  HoldSettlement,
  SpentByWindow,
  WindowName,
} from '../../kernel/ports/budget.ts';
import { limits } from '../limits.ts';
import { ActiveHolds } from './active-holds.ts';

/** If both windows are exhausted the longer is reported: waiting for the end of the shorter would not help. */
const windowsLongestFirst: readonly WindowName[] = ['month', 'day'];

/** What one key spent in the current day and month, and its holds. */
export class MemoryKeyBudget {
  readonly #holds = new ActiveHolds();
  readonly #windowStarts: { day: number; month: number };
  readonly #spent: { day: number; month: number };
  #idleFromMs: number;

  constructor({ day, month }: BudgetWindows, spentByWindow: SpentByWindow, nowMs: number) {
    this.#windowStarts = { day: day.startMs, month: month.startMs };
    this.#spent = { ...spentByWindow };
    this.#idleFromMs = nowMs + limits.budgetIdleMs;
  }

  get hasHolds(): boolean {
    return !this.#holds.isEmpty;
  }

  isIdle(nowMs: number): boolean {
    return nowMs >= this.#idleFromMs;
  }

  hold(
    { holder: budgetHolder, windows: budgetWindows, ceilings, amount, least }: BudgetHoldRequest,
    nowMs: number,
  ): HoldOutcome {
    this.#updateTo(budgetWindows, nowMs);
    const held = this.#holds.total;
    let granted = amount;
    for (const window of windowsLongestFirst) {
      const ceiling = ceilings[window];
      if (ceiling === undefined) continue;
      const left = ceiling - this.#spent[window] - held;
      if (left < least) return { outcome: 'refused', window, spent: this.#spent[window], held };
      granted = Math.min(granted, left);
    }
    const id = this.#holds.add(granted, nowMs + kernelLimits.holdLifeMs);
    this.#keepUntil(nowMs + kernelLimits.holdLifeMs);
    return {
      outcome: 'granted',
      held: { holder: budgetHolder, amount: granted, id },
      spent: { ...this.#spent },
    };
  }

  read(budgetWindows: BudgetWindows, nowMs: number): BudgetState {
    this.#updateTo(budgetWindows, nowMs);
    return { spent: { ...this.#spent }, held: this.#holds.total };
  }

  settle(
    id: string,
    { cost, windows: budgetWindows, isRetry }: HoldSettlement,
    nowMs: number,
  ): SpentByWindow | undefined {
    if (!this.#holds.delete(id) && isRetry) return undefined;
    this.#advanceTo(budgetWindows);
    this.#spend(cost);
    this.#keepUntil(nowMs);
    return { ...this.#spent };
  }

  renew(id: string, nowMs: number): void {
    this.#holds.extend(id, nowMs + kernelLimits.holdLifeMs);
    this.#keepUntil(nowMs + kernelLimits.holdLifeMs);
  }

  /** An expired hold counts as spent. */
  #updateTo(budgetWindows: BudgetWindows, nowMs: number): void {
    this.#advanceTo(budgetWindows);
    this.#spend(this.#holds.deleteExpired(nowMs));
  }

  #spend(cost: NanoUsd): void {
    this.#spent.day += cost;
    this.#spent.month += cost;
  }

  #keepUntil(untilMs: number): void {
    this.#idleFromMs = Math.max(this.#idleFromMs, untilMs + limits.budgetIdleMs);
  }

  /** A new day or month starts at zero. Holds count in the new window too, because they will be settled there. */
  #advanceTo({ day, month }: BudgetWindows): void {
    if (day.startMs > this.#windowStarts.day) {
      this.#windowStarts.day = day.startMs;
      this.#spent.day = 0;
    }
    if (month.startMs > this.#windowStarts.month) {
      this.#windowStarts.month = month.startMs;
      this.#spent.month = 0;
    }
  }
}
