import type {
  BreakerState,
  HealthReport,
  HealthSlot,
  ReportedContentTimes,
} from '../../kernel/ports/health.ts';
import { limits } from '../limits.ts';
import { ContentTimes, strongestOf } from './content-times.ts';
import type { Outcome } from './outcome.ts';

interface Counts {
  readonly attempts: number;
  readonly failures: number;
}

/**
 * The results of a target, or of all targets of a provider, with one credential: this process's own, and what others
 * reported. The times only grow, so
 * the latest of all processes holds, whatever order reports arrive in.
 */
export class TargetRecord {
  openedAtMs = 0;
  closedAtMs = 0;
  restsUntilMs = 0;
  rejectedAtMs = 0;
  acceptedAtMs = 0;
  /** When the reports of other processes were read. */
  readAtMs = 0;
  /** Models with a record of their own that may be unhealthy, the oldest first; only in the record of all targets. */
  readonly models = new Set<string>();
  #slots: MutableSlot[] = [];
  #others: readonly HealthReport[] = [];
  readonly #contentTimes = new ContentTimes();

  /** Adds a result; true if other processes should know at once. */
  add(outcome: Outcome, nowMs: number, contentMs: number | undefined): boolean {
    if (contentMs !== undefined) this.#contentTimes.add(contentMs, nowMs);
    switch (outcome.kind) {
      case 'unknown':
      case 'rejected-credential':
        return false;
      case 'rest':
        this.#count(nowMs, false);
        this.restsUntilMs = Math.max(this.restsUntilMs, nowMs + outcome.seconds * 1000);
        return true;
      case 'rejected-target':
        this.rejectedAtMs = nowMs;
        return true;
      case 'failed':
        this.#count(nowMs, true);
        return this.#openIfNeeded(nowMs);
      case 'answered':
        return this.#addAnswer(nowMs);
    }
  }

  #addAnswer(nowMs: number): boolean {
    this.#count(nowMs, false);
    const wasRejected = this.isRejected;
    if (wasRejected) this.acceptedAtMs = nowMs;
    const closes = this.breaker(nowMs) === 'half-open';
    if (closes) this.#close(nowMs);
    return closes || wasRejected;
  }

  #openIfNeeded(nowMs: number): boolean {
    const state = this.breaker(nowMs);
    if (state === 'open') return false;
    const { attempts, failures } = this.counts(nowMs);
    const isFailing =
      failures >= limits.breakerFailuresMin && failures >= attempts * limits.breakerFailureShare;
    if (state === 'closed' && !isFailing) return false;
    this.openedAtMs = nowMs;
    return true;
  }

  #close(nowMs: number): void {
    this.closedAtMs = nowMs;
    this.#slots = [];
    this.#others = [];
  }

  #count(nowMs: number, isFailure: boolean): void {
    const slot = slotOf(nowMs);
    let newest = this.#slots.at(-1);
    if (newest?.slot !== slot) {
      newest = { slot, attempts: 0, failures: 0 };
      this.#slots.push(newest);
      if (this.#slots.length > limits.healthSlots) this.#slots.shift();
    }
    newest.attempts++;
    if (isFailure) newest.failures++;
  }

  breaker(nowMs: number): BreakerState {
    if (!this.isOpen) return 'closed';
    return nowMs < this.openedAtMs + limits.breakerOpenMs ? 'open' : 'half-open';
  }

  /** Whether the breaker is open or half-open. */
  get isOpen(): boolean {
    return this.openedAtMs > this.closedAtMs;
  }

  get isRejected(): boolean {
    return this.rejectedAtMs > this.acceptedAtMs;
  }

  /** The results of the last minute in all processes. */
  counts(nowMs: number): Counts {
    const oldest = slotOf(nowMs) - limits.healthSlots;
    let attempts = 0;
    let failures = 0;
    const addUp = (slots: readonly HealthSlot[]): void => {
      for (const one of slots)
        if (one.slot > oldest) {
          attempts += one.attempts;
          failures += one.failures;
        }
    };
    addUp(this.#slots);
    for (const { slots } of this.#others) addUp(slots);
    return { attempts, failures };
  }

  /** The times to the first content of the process with the most recent answers. */
  contentQuantiles(nowMs: number): ReportedContentTimes | undefined {
    const own = this.#contentTimes.quantiles(nowMs);
    return strongestOf(
      this.#others.length === 0 ? [own] : [own, ...this.#others.map(({ content }) => content)],
      nowMs,
    );
  }

  /** The share of calls that it should get: it grows after an outage or a rest, so that not all come back at once. */
  admittedShare(nowMs: number): number {
    const sinceMs = nowMs - Math.max(this.closedAtMs, this.restsUntilMs);
    return Math.min(1, Math.max(limits.admittedShareMin, sinceMs / limits.recoveryMs));
  }

  /** When it may be called again; in the past if it may be now. */
  get availableAtMs(): number {
    return Math.max(
      this.restsUntilMs,
      this.isOpen ? this.openedAtMs + limits.breakerOpenMs : 0,
      this.isRejected ? this.rejectedAtMs + limits.rejectionMs : 0,
    );
  }

  /** Takes over what other processes report. */
  merge(others: readonly HealthReport[], nowMs: number): void {
    this.readAtMs = nowMs;
    let closedAtMs = this.closedAtMs;
    for (const report of others) {
      this.openedAtMs = Math.max(this.openedAtMs, report.openedAtMs);
      closedAtMs = Math.max(closedAtMs, report.closedAtMs);
      this.restsUntilMs = Math.max(this.restsUntilMs, report.restsUntilMs);
      this.rejectedAtMs = Math.max(this.rejectedAtMs, report.rejectedAtMs);
      this.acceptedAtMs = Math.max(this.acceptedAtMs, report.acceptedAtMs);
      for (const model of report.models ?? []) this.addModel(model);
    }
    // Failures before the breaker closed don't open it again.
    if (closedAtMs > this.closedAtMs) this.#close(closedAtMs);
    const closedSlot = slotOf(this.closedAtMs);
    this.#others = others.map((report) => ({
      ...report,
      slots: report.slots.filter(({ slot }) => slot > closedSlot),
    }));
  }

  addModel(model: string): void {
    this.models.delete(model);
    this.models.add(model);
    const [oldest] = this.models;
    if (this.models.size > limits.unhealthyModelsMax && oldest !== undefined) this.models.delete(oldest);
  }

  report(nowMs: number): HealthReport {
    const { openedAtMs, closedAtMs, restsUntilMs, rejectedAtMs, acceptedAtMs } = this;
    const slots = this.#slots.map((one) => ({ ...one }));
    const content = this.#contentTimes.quantiles(nowMs);
    return {
      slots,
      openedAtMs,
      closedAtMs,
      restsUntilMs,
      rejectedAtMs,
      acceptedAtMs,
      content,
      ...(this.models.size > 0 && { models: [...this.models] }),
    };
  }
}

type MutableSlot = { -readonly [Field in keyof HealthSlot]: HealthSlot[Field] };

function slotOf(nowMs: number): number {
  return Math.floor(nowMs / limits.healthSlotMs);
}
