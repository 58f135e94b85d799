import type { Allowance, Slots } from '../kernel/ports/shared-state.ts';
import { limits } from './limits.ts';

interface InFlightReporterParts {
  readonly slots: Pick<Slots, 'reportInFlight'>;
  readonly processId: string;
}

/** The in-flight calls of this process for one allowance, including those waiting for a decision. */
export class InFlightTracker {
  readonly processId: string;
  readonly allowance: Allowance;
  calls = 0;
  /** The number last reported to the store. */
  #reportedCalls = 0;
  #reportedAtMs = 0;
  #reportedSinceCheck = false;

  constructor(processId: string, allowance: Allowance) {
    this.processId = processId;
    this.allowance = allowance;
  }

  /** No calls are in flight, and the store knows. */
  get isIdle(): boolean {
    return this.calls === 0 && this.#reportedCalls === 0;
  }

  /** The store has received this number, with a call or in a report. */
  markReported(calls: number): void {
    this.#reportedCalls = calls;
    this.#reportedAtMs = performance.now();
    this.#reportedSinceCheck = true;
  }

  /** Whether the number in the store is wrong or expires soon, and no recent call has updated it. */
  isDue(nowMs: number): boolean {
    const wasBusy = this.#reportedSinceCheck;
    this.#reportedSinceCheck = false;
    if (wasBusy) return false;
    return this.calls !== this.#reportedCalls || nowMs - this.#reportedAtMs >= limits.inFlightRenewalMs;
  }
}

/**
 * Reports the in-flight calls of this process, so that others can tell a used-up cap from a reserved one. Each call reports
 * them; a separate report is sent only if no call follows.
 */
export class InFlightReporter {
  readonly #parts: InFlightReporterParts;
  /** By account: a new period may begin while calls of the previous one are in flight. */
  readonly #trackers = new Map<string, readonly InFlightTracker[]>();
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: InFlightReporterParts) {
    this.#parts = parts;
  }

  trackerFor(allowance: Allowance): InFlightTracker {
    const { accountId, periodStartMs } = allowance;
    const trackers = this.#trackers.get(accountId) ?? [];
    for (const one of trackers) if (one.allowance.periodStartMs === periodStartMs) return one;
    const created = new InFlightTracker(this.#parts.processId, allowance);
    this.#trackers.set(accountId, [...trackers, created]);
    this.#timer ??= setInterval(() => this.#reportDue(), limits.inFlightReportMs).unref();
    return created;
  }

  #reportDue(): void {
    const nowMs = performance.now();
    for (const [accountId, trackers] of this.#trackers) {
      const open = trackers.filter((tracker) => !tracker.isIdle);
      for (const tracker of open) if (tracker.isDue(nowMs)) void this.#report(tracker);
      if (open.length === 0) this.#trackers.delete(accountId);
      else if (open.length < trackers.length) this.#trackers.set(accountId, open);
    }
    if (this.#trackers.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** A failed report is due again at the next interval. */
  async #report(tracker: InFlightTracker): Promise<void> {
    const { processId, calls } = tracker;
    await this.#parts.slots.reportInFlight(tracker.allowance, { processId, calls }).then(
      () => tracker.markReported(calls),
      () => undefined,
    );
  }
}
