import type { Attempt } from '../kernel/attempt.ts';
import type { Caller } from '../kernel/caller.ts';
import { budgetHolderOf, type CallBudget } from '../kernel/ports/budget.ts';
import { isCountedByHour } from '../kernel/ports/stored-budgets.ts';
import type { Tags } from '../kernel/tags.ts';
import type { HourlyBudget } from './budget-hour-tally.ts';
import type { UsageRecorder } from './usage-recorder.ts';

type ChargedAttempt = Pick<Attempt, 'target' | 'usage' | 'bill' | 'isModuleCall' | 'askedBy'>;

interface ChargedCall {
  readonly caller: Caller;
  readonly tags: Tags;
  readonly budgets?: readonly CallBudget[];
}

/** Charges an attempt to its caller, and a module's own call to the module, too. */
export function recordAttempt(
  recorder: Pick<UsageRecorder, 'recordAttempt' | 'recordModule'>,
  { target: { provider, model }, usage, bill, isModuleCall, askedBy }: ChargedAttempt,
  { caller, tags, budgets = [] }: ChargedCall,
  nowMs: number,
): void {
  const { accountId, keyId } = budgetHolderOf(caller);
  const costNanoUsd = bill?.nanoUsd;
  recorder.recordAttempt(
    {
      ...{ accountId, keyId, provider: provider.name, model, usage, costNanoUsd, tags },
      ...(budgets.length > 0 && { budgets: countedByHour(budgets) }),
    },
    nowMs,
  );
  if (isModuleCall && askedBy !== undefined && costNanoUsd !== undefined)
    recorder.recordModule({ accountId, module: askedBy, spentNanoUsd: costNanoUsd }, nowMs);
}

/** Those that days of usage can't count. */
export function countedByHour(budgets: readonly CallBudget[]): readonly HourlyBudget[] {
  return budgets.flatMap(({ budget, value }) =>
    isCountedByHour(budget) ? [{ budgetId: budget.id, value }] : [],
  );
}
