import type { CallBudget, Ceilings } from '../../module-api.ts';
import type { CostKit } from './budget-hold.ts';
import { hasCeiling } from './options.ts';

/** The stored budgets of the account that refuse calls. */
export function hardBudgetsOf(kit: CostKit): readonly CallBudget[] {
  return ofMode(kit, 'hard');
}

/** Those that only warn. */
export function warningBudgetsOf(kit: CostKit): readonly CallBudget[] {
  return ofMode(kit, 'warning');
}

/** Whether something may refuse the call. */
export function isLimited(kit: CostKit): boolean {
  return hasCeiling(kit.options) || hardBudgetsOf(kit).length > 0;
}

export function ceilingsOfBudget({ budget: { period, limitNanoUsd } }: CallBudget): Ceilings {
  return { [period.kind]: limitNanoUsd };
}

/** The beginning of its name in warnings: `organization.`, or `team.` for a tag. */
export function prefixOfBudget({ budget: { scope } }: CallBudget): string {
  return `${scope.kind === 'tag' ? scope.tag : scope.kind}.`;
}

function ofMode({ options, budget }: CostKit, mode: CallBudget['budget']['mode']): readonly CallBudget[] {
  return options.budgets === undefined ? [] : budget.ofCall.filter((one) => one.budget.mode === mode);
}
