import { runInAirgap } from '../egress/airgapped-calls.ts';
import { EgressError } from '../egress/egress-error.ts';
import type { Trace } from '../kernel/trace.ts';

/**
 * Runs a background task of a call. The receipt of a call in an airgap has all of its connections, so its tasks make no
 * further ones; a task that wanted one just ends.
 */
export async function runAfterCall({ egress, isAirgapped }: Trace, run: () => Promise<void>): Promise<void> {
  if (!isAirgapped) return runInAirgap(undefined, run);
  try {
    await runInAirgap(egress, run);
  } catch (failure) {
    if (!(failure instanceof EgressError) || failure.code !== 'EGRESS_AIRGAP') throw failure;
  }
}

/** Refuses what a background task of a call in an airgap asks a model. */
export function refuseAfterAirgap({ egress }: Trace): Promise<never> {
  if (egress !== undefined) egress.refused++;
  const why = 'the pipeline of the call has airgap: no model is asked after its answer';
  return Promise.reject(new EgressError('EGRESS_AIRGAP', why));
}
