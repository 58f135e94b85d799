import { endOfWindow } from '../../billing/current-windows.ts';
import type { SpendingLimiter } from '../../billing/spending-limiter.ts';
import { type Budget, type BudgetHolder, type CallBudget, holderOf } from '../../kernel/ports/budget.ts';

/** Decides about holds as the budgets of a key, of tags and of the account would, and holds nothing. */
export function dryBudget(
  spending: Pick<SpendingLimiter, 'stateOf'>,
  holder: BudgetHolder,
  ofCall: readonly CallBudget[],
): Budget {
  return {
    ofCall,
    async hold(request) {
      const { amount, least, ceilings } = request;
      const { spent, held, windows } = await spending.stateOf(holderOf(holder, request));
      let left = amount;
      for (const window of ['day', 'month', 'rolling'] as const) {
        const ceiling = ceilings[window];
        if (ceiling === undefined) continue;
        const { [window]: used = 0, rollingSinceMs: sinceMs } = spent;
        const free = ceiling - used - held;
        if (free < least) {
          const shortage = { window, ...(sinceMs !== undefined && { sinceMs }) };
          const endsAtMs = endOfWindow(shortage, windows);
          return { outcome: 'refused', ...shortage, spent: used, held, endsAtMs };
        }
        left = Math.min(left, free);
      }
      return {
        outcome: 'granted',
        spent,
        hold: { amount: left, isSettled: true, settle: async () => undefined },
      };
    },
  };
}
