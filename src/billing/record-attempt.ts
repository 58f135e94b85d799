import type { Attempt } from '../kernel/attempt.ts';
import type { Caller } from '../kernel/caller.ts';
import { budgetHolderOf } from '../kernel/ports/budget.ts';
import type { Tags } from '../kernel/tags.ts';
import type { UsageRecorder } from './usage-recorder.ts';

type ChargedAttempt = Pick<Attempt, 'target' | 'usage' | 'bill' | 'isModuleCall' | 'askedBy'>;

/** Charges an attempt to its caller, and a module's own call to the module, too. */
export function recordAttempt(
  recorder: Pick<UsageRecorder, 'recordAttempt' | 'recordModule'>,
  { target: { provider, model }, usage, bill, isModuleCall, askedBy }: ChargedAttempt,
  { caller, tags }: { readonly caller: Caller; readonly tags: Tags },
  nowMs: number,
): void {
  const { accountId, keyId } = budgetHolderOf(caller);
  const costNanoUsd = bill?.nanoUsd;
  recorder.recordAttempt(
    { accountId, keyId, provider: provider.name, model, usage, costNanoUsd, tags },
    nowMs,
  );
  if (isModuleCall && askedBy !== undefined && costNanoUsd !== undefined)
    recorder.recordModule({ accountId, module: askedBy, spentNanoUsd: costNanoUsd }, nowMs);
}
