import type {
  BudgetHolder,
  BudgetHoldRequest,
  BudgetState,
  Budgets,
  BudgetWindows,
  HeldAmount,
  HoldOutcome,
  HoldSettlement,
  SpentBefore,
  SpentByWindow,
} from '../../kernel/ports/budget.ts';
import type { Clock } from '../../lib/clock.ts';
import { limits } from '../limits.ts';
import { MemoryKeyBudget } from './memory-key-budget.ts';

/** Budgets for a gateway that runs as one process. */
export class MemoryBudgets implements Budgets {
  readonly #clock: Clock;
  readonly #budgetsMax: number;
  readonly #budgets = new Map<string, MemoryKeyBudget>();

  constructor(clock: Clock, budgetsMax: number = limits.budgetsMax) {
    this.#clock = clock;
    this.#budgetsMax = budgetsMax;
  }

  /** The number of budgets in memory. */
  get size(): number {
    return this.#budgets.size;
  }

  async hold(request: BudgetHoldRequest): Promise<HoldOutcome> {
    const nowMs = this.#clock.now();
    const budget = this.#budgets.get(holderKey(request.holder));
    if (budget?.isCounted !== true || budget.isIdle(nowMs)) return { outcome: 'uncounted' };
    return budget.hold(request, nowMs);
  }

  async settle(held: HeldAmount, holdSettlement: HoldSettlement): Promise<SpentByWindow | undefined> {
    return this.#budgets.get(holderKey(held.holder))?.settle(held.id, holdSettlement, this.#clock.now());
  }

  async renew(held: HeldAmount): Promise<void> {
    this.#budgets.get(holderKey(held.holder))?.renew(held.id, this.#clock.now());
  }

  async read(budgetHolder: BudgetHolder, budgetWindows: BudgetWindows): Promise<BudgetState | undefined> {
    const nowMs = this.#clock.now();
    const budget = this.#budgets.get(holderKey(budgetHolder));
    return budget?.isCounted !== true || budget.isIdle(nowMs) ? undefined : budget.read(budgetWindows, nowMs);
  }

  async begin(
    budgetHolder: BudgetHolder,
    budgetWindows: BudgetWindows,
    spentBefore: SpentBefore,
  ): Promise<void> {
    const name = holderKey(budgetHolder);
    const nowMs = this.#clock.now();
    const known = this.#budgets.get(name);
    if (known?.isIdle(nowMs) === false) {
      if (!known.isCounted) known.restart(budgetWindows, spentBefore, nowMs);
      return;
    }
    if (this.#budgets.size >= this.#budgetsMax) this.#makeRoom(nowMs);
    this.#budgets.set(name, new MemoryKeyBudget(budgetWindows, spentBefore, nowMs));
  }

  async forget(budgetHolder: BudgetHolder): Promise<void> {
    const budget = this.#budgets.get(holderKey(budgetHolder));
    if (budget !== undefined) budget.isCounted = false;
  }

  /** Budgets with open holds stay until they are idle. */
  erase(accountId: string): void {
    const prefix = holderKey({ accountId, keyId: '' });
    for (const [name, budget] of this.#budgets)
      if (name.startsWith(prefix) && !budget.hasHolds) this.#budgets.delete(name);
  }

  /** Evicts idle budgets, then those without holds, oldest first; at least a tenth, so that this runs rarely. */
  #makeRoom(nowMs: number): void {
    for (const [name, budget] of this.#budgets) if (budget.isIdle(nowMs)) this.#budgets.delete(name);
    const sizeMax = Math.floor(this.#budgetsMax * 0.9);
    for (const [name, budget] of this.#budgets) {
      if (this.#budgets.size <= sizeMax) break;
      if (!budget.hasHolds) this.#budgets.delete(name);
    }
  }
}

function holderKey({ accountId, keyId }: BudgetHolder): string {
  return `${accountId}\n${keyId}`;
}
