import { withTimeout } from '../lib/with-timeout.ts';
import { limits } from './limits.ts';

/** `failing`: it does not work. `degraded`: it works in part, or will soon fail. */
export type CheckStatus = 'ok' | 'degraded' | 'failing';

export interface CheckResult {
  readonly status: CheckStatus;
  /** What was looked at and found, without secrets or content. */
  readonly detail: string;
  /** What to do if the check did not pass. */
  readonly hint?: string;
}

export interface NamedResult extends CheckResult {
  readonly name: string;
}

/** Looks at one thing that a gateway depends on. */
export interface Check {
  readonly name: string;
  /** Loads the client library that the check uses. Loading blocks the process, so the time of no check includes it. */
  prepare?(): Promise<unknown>;
  run(): CheckResult | Promise<CheckResult>;
}

export interface CheckReport extends NamedResult {
  readonly ms: number;
}

export const passed = (detail: string): CheckResult => ({ status: 'ok', detail });
export const degraded = (detail: string, hint: string): CheckResult => ({ status: 'degraded', detail, hint });
export const failing = (detail: string, hint: string): CheckResult => ({ status: 'failing', detail, hint });

/** Runs all checks at once. A check that takes too long, or throws, is failing. */
export async function runChecks(
  checks: readonly Check[],
  limitMs: number = limits.checkMs,
): Promise<readonly CheckReport[]> {
  // A library that can't be loaded fails its own check, which loads it again.
  await Promise.allSettled(checks.map((check) => check.prepare?.()));
  return Promise.all(
    checks.map(async (check) => {
      const startedAtMs = performance.now();
      const result = await runCheck(check, limitMs);
      return { name: check.name, ms: Math.round(performance.now() - startedAtMs), ...result };
    }),
  );
}

/** The worst of all. */
export function overallStatus(reports: readonly CheckResult[]): CheckStatus {
  const has = (status: CheckStatus) => reports.some((report) => report.status === status);
  if (has('failing')) return 'failing';
  return has('degraded') ? 'degraded' : 'ok';
}

async function runCheck(check: Check, limitMs: number): Promise<CheckResult> {
  const late = () => new Error(`no answer within ${limitMs} ms`);
  try {
    return await withTimeout(Promise.resolve(check.run()), limitMs, late);
  } catch (thrown) {
    return failing(reasonOf(thrown), 'see the log for errors of this part');
  }
}

/** The message of an error and of its causes. */
export function reasonOf(thrown: unknown): string {
  if (thrown instanceof AggregateError) return thrown.errors.map(reasonOf).join('; ');
  if (!(thrown instanceof Error)) return String(thrown);
  return thrown.cause instanceof Error ? `${thrown.message}: ${reasonOf(thrown.cause)}` : thrown.message;
}
