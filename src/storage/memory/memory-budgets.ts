import type { Clock } from '../../kernel/clock.ts';
import { limits } from '../../kernel/limits.ts';
import type {
  BudgetHolder,
  BudgetHoldRequest,
  Budgets,
  BudgetWindows,
  HeldAmount,
  HoldOutcome,
  HoldSettlement,
  SpentByWindow,
} from '../../kernel/ports/budget.ts';
import { MemoryKeyBudget } from './memory-key-budget.ts';

/** The purses of a gateway that is one process. */
export class MemoryBudgets implements Budgets {
  readonly #clock: Clock;
  readonly #budgetsMax: number;
  readonly #budgets = new Map<string, MemoryKeyBudget>();

  constructor(clock: Clock, pursesMax: number = limits.budgetsMax) {
    this.#clock = clock;
    this.#budgetsMax = pursesMax;
  }

  /** Purses that are remembered. */
  get size(): number {
    return this.#budgets.size;
  }

  async hold(asked: BudgetHoldRequest): Promise<HoldOutcome> {
    const nowMs = this.#clock.now();
    const purse = this.#budgets.get(holderKey(asked.holder));
    if (purse === undefined || purse.isIdle(nowMs)) return { outcome: 'uncounted' };
    return purse.hold(asked, nowMs);
  }

  async settle(held: HeldAmount, holdSettlement: HoldSettlement): Promise<void> {
    this.#budgets.get(holderKey(held.holder))?.settle(held.id, holdSettlement, this.#clock.now());
  }

  async renew(held: HeldAmount): Promise<void> {
    this.#budgets.get(holderKey(held.holder))?.renew(held.id, this.#clock.now());
  }

  async begin(
    budgetHolder: BudgetHolder,
    budgetWindows: BudgetWindows,
    spentByWindow: SpentByWindow,
  ): Promise<void> {
    const name = holderKey(budgetHolder);
    const nowMs = this.#clock.now();
    if (this.#budgets.get(name)?.isIdle(nowMs) === false) return;
    if (this.#budgets.size >= this.#budgetsMax) this.#makeRoom(nowMs);
    this.#budgets.set(name, new MemoryKeyBudget(budgetWindows, spentByWindow, nowMs));
  }

  /** What still holds something is gone when it is idle. */
  erase(accountId: string): void {
    const beginning = holderKey({ accountId, keyId: '' });
    for (const [name, purse] of this.#budgets)
      if (name.startsWith(beginning) && !purse.hasHolds) this.#budgets.delete(name);
  }

  /** Idle ones go first, then those that hold nothing, the oldest first; a tenth at least, so that this is rare. */
  #makeRoom(nowMs: number): void {
    for (const [name, purse] of this.#budgets) if (purse.isIdle(nowMs)) this.#budgets.delete(name);
    const roomFor = Math.floor(this.#budgetsMax * 0.9);
    for (const [name, purse] of this.#budgets) {
      if (this.#budgets.size <= roomFor) break;
      if (!purse.hasHolds) this.#budgets.delete(name);
    }
  }
}

function holderKey({ accountId, keyId }: BudgetHolder): string {
  return `${accountId}\n${keyId}`;
}
