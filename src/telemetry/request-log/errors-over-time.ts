import type { LogFilter, LoggedCall, RequestLog } from '../../kernel/ports/request-log.ts';
import { isRequestIdPrefix, timeOfId } from '../../kernel/request-id.ts';
import { limits } from '../limits.ts';
import { alignToSteps, type CallCause, causeOf, type SummaryQuery } from './log-summary.ts';

interface ErrorsQuery extends SummaryQuery {
  readonly filter: LogFilter;
}

export interface ErrorsOverTime {
  /** Whole steps: the first and the last may extend beyond the requested range. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly stepMs: number;
  /** Calls before this time were not looked at; undefined if all were. */
  readonly countedSinceMs: number | undefined;
  /** Those with the most calls first. */
  readonly causes: readonly CauseCounts[];
}

interface CauseCounts extends CallCause {
  readonly count: number;
  /** By step. */
  readonly counts: readonly number[];
}

interface Failures extends CallCause {
  readonly step: number;
  readonly requests: number;
}

/** Failed calls by cause and time: from the sums, or from the newest rows of the log for a filter that the sums can't tell. */
export async function errorsOverTime(
  log: Pick<RequestLog, 'errors' | 'page'>,
  { accountId, filter, ...range }: ErrorsQuery,
): Promise<ErrorsOverTime> {
  const steps = alignToSteps(range);
  if (isSummed(filter)) {
    const sums = await log.errors({ accountId, ...steps, filter });
    const failures = sums.map((one) => ({ ...causeOf(one), step: one.step, requests: one.requests }));
    return { ...steps, countedSinceMs: undefined, causes: groupByCause(failures, steps) };
  }
  const { fromMs, toMs } = steps;
  const { calls, countedSinceMs } = await newestFailures(log, accountId, { ...filter, fromMs, toMs });
  const failures = calls.map((call) => ({
    ...causeOf(call),
    step: Math.floor((call.atMs - steps.fromMs) / steps.stepMs),
    requests: call.weight,
  }));
  return { ...steps, countedSinceMs, causes: groupByCause(failures, steps) };
}

function isSummed({ conversation, session, endUser, tags, wire, search = '' }: LogFilter): boolean {
  return (
    [conversation, session, endUser, tags, wire].every((one) => one === undefined) &&
    !isRequestIdPrefix(search)
  );
}

async function newestFailures(
  log: Pick<RequestLog, 'page'>,
  accountId: string | undefined,
  filter: LogFilter,
): Promise<{ readonly calls: readonly LoggedCall[]; readonly countedSinceMs: number | undefined }> {
  const calls: LoggedCall[] = [];
  const failed: LogFilter = { ...filter, status: filter.status ?? 'error' };
  let reached: string | undefined;
  for (let pages = 0; pages < limits.errorPagesMax; pages++) {
    const page = await log.page({
      accountId,
      filter: failed,
      beside: reached === undefined ? undefined : { id: reached, side: 'older' },
      limit: limits.errorPageCalls,
    });
    calls.push(...page.calls.filter(({ status, ending }) => status >= 400 || ending === 'failed'));
    if (!page.more || page.reached === undefined) return { calls, countedSinceMs: undefined };
    reached = page.reached;
  }
  return { calls, countedSinceMs: reached === undefined ? undefined : timeOfId(reached) };
}

function groupByCause(
  failures: readonly Failures[],
  { fromMs, toMs, stepMs }: Pick<ErrorsOverTime, 'fromMs' | 'toMs' | 'stepMs'>,
): readonly CauseCounts[] {
  const length = Math.ceil((toMs - fromMs) / stepMs);
  const causes = new Map<string, CallCause & { count: number; readonly counts: number[] }>();
  for (const { step, requests, ...cause } of failures) {
    if (requests === 0) continue;
    const name = JSON.stringify(cause);
    const group = causes.get(name) ?? { ...cause, count: 0, counts: Array.from({ length }, () => 0) };
    causes.set(name, group);
    group.count += requests;
    group.counts[step] = (group.counts[step] ?? 0) + requests;
  }
  return [...causes.values()].sort((one, other) => other.count - one.count);
}
