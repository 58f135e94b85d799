import { limits as kernelLimits } from '../../kernel/limits.ts';
import type { NanoUsd } from '../../kernel/money.ts';
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
import {
  advanceBudget,
  type BudgetCount,
  beginBudget,
  decideHold,
  spendBudget,
  spentOf,
} from '../budget-count.ts';
import { limits } from '../limits.ts';
import type { DocumentChanges } from './document-changes.ts';

export interface BudgetDocument extends Pick<BudgetCount, 'spent' | 'parts'> {
  /** Undefined before a count has begun. */
  readonly starts?: BudgetCount['starts'];
  readonly holds: Record<string, { amount: NanoUsd; untilMs: number }>;
}

type StartedBudget = BudgetDocument & BudgetCount;

/** Budgets as shared documents. Renewing a hold restores it if the document was lost. */
export class DocumentBudgets implements Budgets {
  readonly #changes: DocumentChanges<BudgetDocument>;
  readonly #clock: Clock;

  constructor(changes: DocumentChanges<BudgetDocument>, clock: Clock) {
    this.#changes = changes;
    this.#clock = clock;
  }

  hold(request: BudgetHoldRequest): Promise<HoldOutcome> {
    const name = this.#changes.createId();
    return this.#change<HoldOutcome>(request.holder, (budget, nowMs) => {
      if (!isStarted(budget)) return { result: { outcome: 'uncounted' } };
      update(budget, request.windows, nowMs);
      return { value: budget, result: holdIn(budget, request, { name, nowMs }) };
    });
  }

  settle(
    { holder, id }: HeldAmount,
    { cost, windows, isRetry }: HoldSettlement,
  ): Promise<SpentByWindow | undefined> {
    return this.#change<SpentByWindow | undefined>(holder, (budget) => {
      const isHeld = budget.holds[id] !== undefined;
      if ((!isHeld && isRetry) || !isStarted(budget)) return { result: undefined };
      delete budget.holds[id];
      advanceBudget(budget, windows);
      spendBudget(budget, windows, cost);
      return { value: budget, result: spentOf(budget, windows) };
    });
  }

  renew({ holder, id, amount }: HeldAmount): Promise<void> {
    return this.#change(holder, (budget, nowMs) => {
      budget.holds[id] = { amount, untilMs: nowMs + kernelLimits.holdLifeMs };
      return { value: budget, result: undefined };
    });
  }

  read(holder: BudgetHolder, windows: BudgetWindows): Promise<BudgetState | undefined> {
    return this.#change<BudgetState | undefined>(holder, (budget, nowMs) => {
      if (!isStarted(budget)) return { result: undefined };
      update(budget, windows, nowMs);
      return { result: { spent: spentOf(budget, windows), held: sumOf(budget.holds) } };
    });
  }

  begin(holder: BudgetHolder, windows: BudgetWindows, spent: SpentBefore): Promise<void> {
    return this.#change(holder, (budget, nowMs) => {
      if (isStarted(budget)) return { result: undefined };
      // The database already counts expired holds as spent, through the reservations of their processes.
      deleteExpired(budget, nowMs);
      return { value: { ...beginBudget(windows, spent), holds: budget.holds }, result: undefined };
    });
  }

  forget(holder: BudgetHolder): Promise<void> {
    return this.#change(holder, ({ spent, holds }) => ({ value: { spent, holds }, result: undefined }));
  }

  #change<Result>(
    { accountId, keyId }: BudgetHolder,
    change: (
      budget: BudgetDocument,
      nowMs: number,
    ) => { readonly value?: BudgetDocument; readonly result: Result },
  ): Promise<Result> {
    return this.#changes.change<Result>(budgetName(accountId, keyId), (existing) => {
      const nowMs = this.#clock.now();
      const budget = existing ?? { spent: { day: 0, month: 0 }, holds: {} };
      const untilMs = nowMs + kernelLimits.holdLifeMs + limits.budgetIdleMs;
      return { untilMs, ...change(budget, nowMs) };
    });
  }
}

function budgetName(accountId: string, keyId: string): string {
  return `budget ${accountId} ${keyId}`;
}

function holdIn(
  budget: StartedBudget,
  request: BudgetHoldRequest,
  { name, nowMs }: { readonly name: string; readonly nowMs: number },
): HoldOutcome {
  const spent = spentOf(budget, request.windows);
  const decision = decideHold(spent, request, sumOf(budget.holds));
  if (decision.outcome === 'refused') return decision;
  const { amount } = decision;
  budget.holds[name] = { amount, untilMs: nowMs + kernelLimits.holdLifeMs };
  return { outcome: 'granted', held: { holder: request.holder, amount, id: name }, spent };
}

function sumOf(holds: BudgetDocument['holds']): NanoUsd {
  return Object.values(holds).reduce((sum, { amount }) => sum + amount, 0);
}

/** An expired hold counts as spent. */
function update(budget: StartedBudget, windows: BudgetWindows, nowMs: number): void {
  advanceBudget(budget, windows);
  spendBudget(budget, windows, deleteExpired(budget, nowMs));
}

function isStarted(budget: BudgetDocument): budget is StartedBudget {
  return budget.starts !== undefined;
}

/** Returns the sum of the deleted holds. Their processes are gone and may have spent them. */
function deleteExpired({ holds }: BudgetDocument, nowMs: number): NanoUsd {
  let sum = 0;
  for (const [id, { amount, untilMs }] of Object.entries(holds))
    if (untilMs <= nowMs) {
      sum += amount;
      delete holds[id];
    }
  return sum;
}
