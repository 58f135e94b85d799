import { limits } from '../kernel/limits.ts';
import type { Allowance, Slots } from '../kernel/ports/shared-state.ts';

interface InFlightReporterParts {
  readonly slots: Pick<Slots, 'reportInFlight'>;
  readonly processId: string;
}

/** What this process has under way of one allowance, with those that are being asked for. */
export class InFlightTracker {
  readonly processId: string;
  readonly allowance: Allowance;
  calls = 0;
  /** What the store knows of it. */
  #reportedCalls = 0;
  #reportedAtMs = 0;
  #reportedSinceCheck = false;

  constructor(processId: string, allowance: Allowance) {
    this.processId = processId;
    this.allowance = allowance;
  }

  /** Nothing is under way, and the store knows. */
  get isIdle(): boolean {
    return this.calls === 0 && this.#reportedCalls === 0;
  }

  /** The store was told so with a call, or by itself. */
  markReported(calls: number): void {
    this.#reportedCalls = calls;
    this.#reportedAtMs = performance.now();
    this.#reportedSinceCheck = true;
  }

  /** Whether the store knows something else, or will soon forget it, and no call has told it of late. */
  isDue(nowMs: number): boolean {
    const wasBusy = this.#reportedSinceCheck;
    this.#reportedSinceCheck = false;
    if (wasBusy) return false;
    return this.calls !== this.#reportedCalls || nowMs - this.#reportedAtMs >= limits.inFlightRenewalMs;
  }
}

/**
 * Says what this process has under way, so that others can tell a cap that is used up from one that is held. It is said with
 * each call, and by itself only where no call follows.
 */
export class InFlightReporter {
  readonly #parts: InFlightReporterParts;
  /** By account: a new period may begin while calls of the one before are under way. */
  readonly #trackers = new Map<string, readonly InFlightTracker[]>();
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: InFlightReporterParts) {
    this.#parts = parts;
  }

  trackerFor(allowance: Allowance): InFlightTracker {
    const { accountId, periodStartMs } = allowance;
    const known = this.#trackers.get(accountId) ?? [];
    for (const one of known) if (one.allowance.periodStartMs === periodStartMs) return one;
    const made = new InFlightTracker(this.#parts.processId, allowance);
    this.#trackers.set(accountId, [...known, made]);
    this.#timer ??= setInterval(() => this.#reportDue(), limits.inFlightReportMs).unref();
    return made;
  }

  #reportDue(): void {
    const nowMs = performance.now();
    for (const [accountId, known] of this.#trackers) {
      const open = known.filter((underWay) => !underWay.isIdle);
      for (const underWay of open) if (underWay.isDue(nowMs)) void this.#report(underWay);
      if (open.length === 0) this.#trackers.delete(accountId);
      else if (open.length < known.length) this.#trackers.set(accountId, open);
    }
    if (this.#trackers.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** One that fails is due again after the next pause. */
  async #report(underWay: InFlightTracker): Promise<void> {
    const { processId, calls } = underWay;
    await this.#parts.slots.reportInFlight(underWay.allowance, { processId, calls }).then(
      () => underWay.markReported(calls),
      () => undefined,
    );
  }
}
