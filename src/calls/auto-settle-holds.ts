import { type Attempt, billOf } from '../kernel/attempt.ts';
import type { ModuleExecution } from '../kernel/module-execution.ts';
import type { NanoUsd } from '../kernel/money.ts';
import type { Budget, Hold } from '../kernel/ports/budget.ts';

/** A purse whose holds are closed with the call at the latest, whatever becomes of the module that made them. */
export function autoSettleHolds(budget: Budget, moduleExecution: ModuleExecution): Budget {
  return {
    async hold(holdRequest) {
      const decision = await budget.hold(holdRequest);
      if (decision.outcome === 'granted')
        moduleExecution.innerAttempts.onSettled((attempts) => void settleHold(decision.hold, attempts));
      return decision;
    },
  };
}

async function settleHold(hold: Hold, attempts: readonly Attempt[]): Promise<void> {
  if (!hold.isSettled) await hold.settle(costOf(hold, attempts));
}

/** What was asked for and has no price is taken to have cost all that was held. */
function costOf({ amount }: Hold, attempts: readonly Attempt[]): NanoUsd {
  const asked = attempts.filter(({ ending }) => ending?.how !== 'failed');
  return billOf(attempts)?.nanoUsd ?? (asked.length === 0 ? 0 : amount);
}
