import { withTimeout } from '../lib/with-timeout.ts';
import { limits } from './limits.ts';

export type CheckStatus = 'ok' | 'degraded' | 'failing';

export interface CheckResult {
  readonly status: CheckStatus;
  /** What was looked at and found, without secrets or content. */
  readonly detail: string;
  /** What to do if the check did not pass. */
  readonly hint?: string;
}

/** Looks at one thing that a gateway depends on. */
export interface Check {
  readonly name: string;
  run(): CheckResult | Promise<CheckResult>;
}

export interface CheckReport extends CheckResult {
  readonly name: string;
  readonly ms: number;
}

export const passed = (detail: string): CheckResult => ({ status: 'ok', detail });

/** Runs all checks at once. A check that takes too long, or throws, is failing. */
export function runChecks(checks: readonly Check[]): Promise<readonly CheckReport[]> {
  return Promise.all(
    checks.map(async ({ name, run }) => {
      const startedAtMs = performance.now();
      const result = await runCheck(run);
      return { name, ms: Math.round(performance.now() - startedAtMs), ...result };
    }),
  );
}

/** The worst of all. */
export function overallStatus(reports: readonly CheckResult[]): CheckStatus {
  const has = (status: CheckStatus) => reports.some((report) => report.status === status);
  if (has('failing')) return 'failing';
  return has('degraded') ? 'degraded' : 'ok';
}

async function runCheck(run: Check['run']): Promise<CheckResult> {
  const late = () => new Error(`no answer within ${limits.checkMs} ms`);
  try {
    return await withTimeout(Promise.resolve(run()), limits.checkMs, late);
  } catch (thrown) {
    const detail = thrown instanceof Error ? thrown.message : 'the check failed';
    return { status: 'failing', detail, hint: 'see the log for errors of this part' };
  }
}
