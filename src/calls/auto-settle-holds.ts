import { type Attempt, billOf } from '../kernel/attempt.ts';
import type { ModuleExecution } from '../kernel/module-execution.ts';
import type { NanoUsd } from '../kernel/money.ts';
import type { Budget, Hold } from '../kernel/ports/budget.ts';

/** A budget whose holds are settled when the call ends at the latest, even if the module fails. */
export function autoSettleHolds(budget: Budget, moduleExecution: ModuleExecution): Budget {
  return {
    ofCall: budget.ofCall,
    async hold(holdRequest, wait) {
      const decision = await budget.hold(holdRequest, wait);
      if (decision.outcome === 'granted')
        moduleExecution.innerAttempts.onSettled((attempts) => void settleHold(decision.hold, attempts));
      return decision;
    },
  };
}

async function settleHold(hold: Hold, attempts: readonly Attempt[]): Promise<void> {
  if (!hold.isSettled) await hold.settle(costOf(hold, attempts));
}

/** An attempt without a known price costs the whole hold. */
function costOf({ amount }: Hold, attempts: readonly Attempt[]): NanoUsd {
  const notFailed = attempts.filter(({ ending }) => ending?.how !== 'failed');
  return billOf(attempts)?.nanoUsd ?? (notFailed.length === 0 ? 0 : amount);
}
