import type { SpendingLimiter } from '../../billing/spending-limiter.ts';
import { type Budget, type BudgetHolder, tagBudgetHolder } from '../../kernel/ports/budget.ts';

/** Decides about holds as the budgets of a key and of tags would, and holds nothing. */
export function dryBudget(spending: Pick<SpendingLimiter, 'stateOf'>, holder: BudgetHolder): Budget {
  return {
    async hold({ amount, least, ceilings, tag }) {
      const { spent, held, windows } = await spending.stateOf(
        tag === undefined ? holder : tagBudgetHolder(holder, tag),
      );
      let left = amount;
      for (const window of ['day', 'month'] as const) {
        const ceiling = ceilings[window];
        if (ceiling === undefined) continue;
        const free = ceiling - spent[window] - held;
        if (free < least)
          return { outcome: 'refused', window, spent: spent[window], held, endsAtMs: windows[window].endMs };
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
