import { limits as kernelLimits } from '../../kernel/limits.ts';
import type {
  BudgetHoldRequest,
  BudgetState,
  BudgetWindows,
  HoldOutcome,
  HoldSettlement,
  SpentBefore,
  SpentByWindow,
} from '../../kernel/ports/budget.ts';
import {
  advanceBudget,
  type BudgetCount,
  beginBudget,
  decideHold,
  spendBudget,
  spentOf,
} from '../budget-count.ts';
import { limits } from '../limits.ts';
import { ActiveHolds } from './active-holds.ts';

/** What one key spent in the current day and month, and its holds. */
export class MemoryKeyBudget {
  readonly #holds = new ActiveHolds();
  #count: BudgetCount;
  /** False once it was forgotten: then only the holds are right. */
  isCounted = true;
  #idleFromMs: number;

  constructor(windows: BudgetWindows, spent: SpentBefore, nowMs: number) {
    this.#count = beginBudget(windows, spent);
    this.#idleFromMs = nowMs + limits.budgetIdleMs;
  }

  get hasHolds(): boolean {
    return !this.#holds.isEmpty;
  }

  isIdle(nowMs: number): boolean {
    return nowMs >= this.#idleFromMs;
  }

  /** Counts anew. The database already counts expired holds as spent. */
  restart(windows: BudgetWindows, spent: SpentBefore, nowMs: number): void {
    this.#holds.deleteExpired(nowMs);
    this.#count = beginBudget(windows, spent);
    this.isCounted = true;
    this.#keepUntil(nowMs);
  }

  hold(request: BudgetHoldRequest, nowMs: number): HoldOutcome {
    this.#updateTo(request.windows, nowMs);
    const spent = spentOf(this.#count, request.windows);
    const decision = decideHold(spent, request, this.#holds.total);
    if (decision.outcome === 'refused') return decision;
    const { amount } = decision;
    const id = this.#holds.add(amount, nowMs + kernelLimits.holdLifeMs);
    this.#keepUntil(nowMs + kernelLimits.holdLifeMs);
    return { outcome: 'granted', held: { holder: request.holder, amount, id }, spent };
  }

  read(budgetWindows: BudgetWindows, nowMs: number): BudgetState {
    this.#updateTo(budgetWindows, nowMs);
    return { spent: spentOf(this.#count, budgetWindows), held: this.#holds.total };
  }

  settle(
    id: string,
    { cost, windows: budgetWindows, isRetry }: HoldSettlement,
    nowMs: number,
  ): SpentByWindow | undefined {
    if (!this.#holds.delete(id) && isRetry) return undefined;
    advanceBudget(this.#count, budgetWindows);
    spendBudget(this.#count, budgetWindows, cost);
    this.#keepUntil(nowMs);
    return spentOf(this.#count, budgetWindows);
  }

  renew(id: string, nowMs: number): void {
    this.#holds.extend(id, nowMs + kernelLimits.holdLifeMs);
    this.#keepUntil(nowMs + kernelLimits.holdLifeMs);
  }

  /** An expired hold counts as spent. */
  #updateTo(budgetWindows: BudgetWindows, nowMs: number): void {
    advanceBudget(this.#count, budgetWindows);
    spendBudget(this.#count, budgetWindows, this.#holds.deleteExpired(nowMs));
  }

  #keepUntil(untilMs: number): void {
    this.#idleFromMs = Math.max(this.#idleFromMs, untilMs + limits.budgetIdleMs);
  }
}
