import type { SpendingLimiter } from '../../billing/spending-limiter.ts';
import type { Budget, BudgetHolder } from '../../kernel/ports/budget.ts';

/** Decides about holds as the budget of a key would, and holds nothing. */
export function dryBudget(
  spending: Pick<SpendingLimiter, 'statesOf'>,
  { accountId, keyId }: BudgetHolder,
): Budget {
  return {
    async hold({ amount, least, ceilings }) {
      const [state] = await spending.statesOf(accountId, [keyId]);
      if (state === undefined) throw new Error('a key without a budget');
      const { spent, held, windows } = state;
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
