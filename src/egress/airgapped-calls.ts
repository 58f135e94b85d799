import { AsyncLocalStorage } from 'node:async_hooks';
import type { EgressRecord } from '../kernel/egress-record.ts';
import { EgressError } from './egress-error.ts';

/** The call in an airgap whose code runs. */
const current = new AsyncLocalStorage<EgressRecord | undefined>();

/** Runs code of a call: in an airgap, modules are connected to nothing meanwhile. `undefined` for a call without one. */
export function runInAirgap<Result>(record: EgressRecord | undefined, run: () => Result): Result {
  const outer = current.getStore();
  return outer === record ? run() : current.run(record, run);
}

/** Counts a refusal and returns its error; undefined if no call in an airgap runs. */
export function refusalInAirgap(purpose: string, host: string): EgressError | undefined {
  const record = current.getStore();
  if (record === undefined) return undefined;
  record.refused++;
  return new EgressError(
    'EGRESS_AIRGAP',
    `the pipeline of the call has airgap: no connection to ${host} is made for ${purpose}`,
  );
}
