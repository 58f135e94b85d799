import { limits } from '../kernel/limits.ts';
import type { Allowance, Slots } from '../kernel/ports/shared-state.ts';

interface UnderWayParts {
  readonly slots: Pick<Slots, 'tell'>;
  readonly processId: string;
}

/** What this process has under way of one allowance, with those that are being asked for. */
export class CallsUnderWay {
  readonly processId: string;
  readonly allowance: Allowance;
  calls = 0;
  /** What the store knows of it. */
  #told = 0;
  #toldAtMs = 0;
  #isBusy = false;

  constructor(processId: string, allowance: Allowance) {
    this.processId = processId;
    this.allowance = allowance;
  }

  /** Nothing is under way, and the store knows. */
  get isOver(): boolean {
    return this.calls === 0 && this.#told === 0;
  }

  /** The store was told so with a call, or by itself. */
  told(calls: number): void {
    this.#told = calls;
    this.#toldAtMs = performance.now();
    this.#isBusy = true;
  }

  /** Whether the store knows something else, or will soon forget it, and no call has told it of late. */
  isDue(nowMs: number): boolean {
    const wasBusy = this.#isBusy;
    this.#isBusy = false;
    if (wasBusy) return false;
    return this.calls !== this.#told || nowMs - this.#toldAtMs >= limits.underWayRenewalMs;
  }
}

/**
 * Says what this process has under way, so that others can tell a cap that is used up from one that is held. It is said with
 * each call, and by itself only where no call follows.
 */
export class UnderWayTelling {
  readonly #parts: UnderWayParts;
  /** By account: a new period may begin while calls of the one before are under way. */
  readonly #known = new Map<string, readonly CallsUnderWay[]>();
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: UnderWayParts) {
    this.#parts = parts;
  }

  of(allowance: Allowance): CallsUnderWay {
    const { accountId, periodStartMs } = allowance;
    const known = this.#known.get(accountId) ?? [];
    for (const one of known) if (one.allowance.periodStartMs === periodStartMs) return one;
    const made = new CallsUnderWay(this.#parts.processId, allowance);
    this.#known.set(accountId, [...known, made]);
    this.#timer ??= setInterval(() => this.#look(), limits.underWayToldMs).unref();
    return made;
  }

  #look(): void {
    const nowMs = performance.now();
    for (const [accountId, known] of this.#known) {
      const open = known.filter((underWay) => !underWay.isOver);
      for (const underWay of open) if (underWay.isDue(nowMs)) void this.#tell(underWay);
      if (open.length === 0) this.#known.delete(accountId);
      else if (open.length < known.length) this.#known.set(accountId, open);
    }
    if (this.#known.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** One that fails is due again after the next pause. */
  async #tell(underWay: CallsUnderWay): Promise<void> {
    const { processId, calls } = underWay;
    await this.#parts.slots.tell(underWay.allowance, { processId, calls }).then(
      () => underWay.told(calls),
      () => undefined,
    );
  }
}
