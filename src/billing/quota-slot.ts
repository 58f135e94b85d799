import type { Allowance } from '../kernel/ports/shared-state.ts';
import type { InFlightTracker } from './in-flight.ts';
import type { Reserve } from './reserve.ts';

/** Where a slot was taken from. */
export interface SlotOrigin {
  readonly allowance: Allowance;
  readonly reserve: Reserve;
  readonly inFlight: InFlightTracker;
  /** Its ordinal number in the period. */
  readonly number: number;
  /** Credits pay for calls past this number; undefined if they pay for none. */
  readonly paidPast: number | undefined;
}

export type SlotSettlement = 'kept' | 'given back' | 'undone' | 'lost';
type OnSettled = (quotaSlot: QuotaSlot, from: SlotOrigin, how: SlotSettlement) => Promise<void>;

/** A call that counts unless it is given back. It can be settled only once. */
export class QuotaSlot {
  /** Its index among the open slots. */
  listIndex = -1;
  readonly #origin: SlotOrigin;
  readonly #onSettled: OnSettled;
  #settled = false;

  constructor(from: SlotOrigin, onSettled: OnSettled) {
    this.#origin = from;
    this.#onSettled = onSettled;
  }

  get accountId(): string {
    return this.#origin.allowance.accountId;
  }

  get reserve(): Reserve {
    return this.#origin.reserve;
  }

  /** The start of its period. */
  get periodStartMs(): number {
    return this.#origin.allowance.periodStartMs;
  }

  get number(): number {
    return this.#origin.number;
  }

  get paidPast(): number | undefined {
    return this.#origin.paidPast;
  }

  get isSettled(): boolean {
    return this.#settled;
  }

  belongsTo({ accountId, periodStartMs }: Allowance): boolean {
    const { allowance } = this.#origin;
    return allowance.accountId === accountId && allowance.periodStartMs === periodStartMs;
  }

  /** The call counts. It must be recorded synchronously, or a count started in between misses it. */
  commit(): void {
    void this.#settle('kept');
  }

  /** The call doesn't count. If the store can't be reached, it stays counted; the call does not fail for that. */
  release(): Promise<void> {
    return this.#settle('given back');
  }

  /** The call was never made; does not count as a failure. */
  undo(): Promise<void> {
    return this.#settle('undone');
  }

  /** The count it was taken from is lost. */
  discard(): void {
    void this.#settle('lost');
  }

  #settle(how: SlotSettlement): Promise<void> {
    if (this.#settled) return Promise.resolve();
    this.#settled = true;
    return this.#onSettled(this, this.#origin, how);
  }
}
