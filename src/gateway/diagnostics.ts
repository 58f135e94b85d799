import { type Check, type CheckReport, runChecks } from '../telemetry/diagnostics.ts';
import { type ClockDifferences, compareClocks } from './checks/clock.ts';
import { limits } from './limits.ts';

/** Runs the checks of a gateway; with `providers`, also calls each configured provider. */
export type Diagnose = (options?: { readonly providers?: boolean }) => Promise<readonly CheckReport[]>;

interface ProviderCalls {
  readonly checks: readonly Check[];
  readonly clockAheadMs: ClockDifferences;
}

export function createDiagnostics(checks: readonly Check[], prepareCalls: () => ProviderCalls): Diagnose {
  return async ({ providers = false } = {}) => {
    const own = runChecks(checks);
    if (!providers) return own;
    const { checks: calls, clockAheadMs } = prepareCalls();
    const called = await runChecks(calls, limits.providerCallMs);
    const clock = { name: 'clocks of providers', run: () => compareClocks(clockAheadMs) };
    return [...(await own), ...called, ...(await runChecks([clock]))];
  };
}
