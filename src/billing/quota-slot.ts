import type { Allowance } from '../kernel/ports/shared-state.ts';
import type { InFlightTracker } from './in-flight.ts';
import type { Reserve } from './reserve.ts';

/** What a slot is one of. */
export interface SlotOrigin {
  readonly allowance: Allowance;
  readonly reserve: Reserve;
  readonly inFlight: InFlightTracker;
  /** The how manieth of its period it was when it was taken. */
  readonly number: number;
  /** Calls past so many are paid for with credits; undefined where none are. */
  readonly paidPast: number | undefined;
}

export type SlotSettlement = 'kept' | 'given back' | 'undone' | 'lost';
type OnSettled = (quotaSlot: QuotaSlot, from: SlotOrigin, how: SlotSettlement) => void | Promise<void>;

/** A call that counts unless it is given back. It is settled once; after that nothing changes. */
export class QuotaSlot {
  /** Its place among the open ones. */
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

  /** The period that it counts in. */
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

  /** The call counts. It is recorded in the same breath, or a count that is begun between the two misses it. */
  commit(): void {
    this.#settle('kept');
  }

  /** The call doesn't count. Where the store can't be told it stays counted; that is no error of the call. */
  async release(): Promise<void> {
    await this.#settle('given back');
  }

  /** The call was never made, which is no failure of it. */
  async undo(): Promise<void> {
    await this.#settle('undone');
  }

  /** The count that it was taken from is gone. */
  discard(): void {
    this.#settle('lost');
  }

  #settle(how: SlotSettlement): void | Promise<void> {
    if (this.#settled) return;
    this.#settled = true;
    return this.#onSettled(this, this.#origin, how);
  }
}
