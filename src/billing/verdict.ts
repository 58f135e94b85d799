import type { StepAsideReason } from '../kernel/module.ts';
import type { ModuleDay } from '../kernel/ports/records.ts';
import { type ModuleSavingsSum, savingsOf } from './module-report.ts';

/** After so many calls, a module whose savings still can't be told from nothing is reported as such. */
export const callsMax = 2000;

export const verdicts = ['saves', 'loses', 'nothing_shown', 'measuring'] as const;
type Verdict = (typeof verdicts)[number];

/** Whether a module saves money, and whether its holdout decided that. */
export interface Judgement {
  readonly verdict: Verdict;
  readonly isByHoldout: boolean;
}

/**
 * The holdout decides as soon as its interval lies on one side of zero. Until then a positive estimate stands, unless it is
 * above the interval. A negative estimate of a module with a holdout proves no loss: advice, for example, is always a cost, and its worth
 * shows in the holdout only.
 */
export function judge({ calls, savedNanoUsd, holdout }: ModuleSavingsSum): Judgement {
  const interval = holdout?.saved;
  if (interval !== undefined && interval.low > 0) return { verdict: 'saves', isByHoldout: true };
  if (interval !== undefined && interval.high < 0) return { verdict: 'loses', isByHoldout: true };
  const isByHoldout = interval !== undefined;
  const savedUsd = savedNanoUsd / 1e9;
  if (savedUsd > 0 && savedUsd <= (interval?.high ?? Number.POSITIVE_INFINITY))
    return { verdict: 'saves', isByHoldout: false };
  if (calls < callsMax) return { verdict: 'measuring', isByHoldout };
  const verdict = holdout === undefined && savedUsd < 0 ? 'loses' : 'nothing_shown';
  return { verdict, isByHoldout };
}

export const stepAsideReasons = ['loses', 'nothing_shown'] as const satisfies readonly StepAsideReason[];

/** Why a module should step aside; undefined if it shouldn't. */
export function reasonToStepAside(days: readonly ModuleDay[]): StepAsideReason | undefined {
  const { verdict } = judge(savingsOf(days));
  return stepAsideReasons.find((reason) => reason === verdict);
}
