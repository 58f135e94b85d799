import { type Attempt, billOf } from '../kernel/attempt.ts';
import type { NanoUsd } from '../kernel/money.ts';
import type { Observation } from '../kernel/observation.ts';
import type { Hold, Purse } from '../kernel/ports/purse.ts';

/** A purse whose holds are closed with the call at the latest, whatever becomes of the module that made them. */
export function keptPurse(purse: Purse, observation: Observation): Purse {
  return {
    async hold(wish) {
      const decision = await purse.hold(wish);
      if (decision.outcome === 'granted')
        observation.asked.whenSettled((attempts) => void closed(decision.hold, attempts));
      return decision;
    },
  };
}

async function closed(hold: Hold, attempts: readonly Attempt[]): Promise<void> {
  if (!hold.isSettled) await hold.settle(costOf(hold, attempts));
}

/** What was asked for and has no price is taken to have cost all that was held. */
function costOf({ amount }: Hold, attempts: readonly Attempt[]): NanoUsd {
  const asked = attempts.filter(({ ending }) => ending?.how !== 'failed');
  return billOf(attempts)?.nanoUsd ?? (asked.length === 0 ? 0 : amount);
}
