import type { Allowance } from '../kernel/ports/shared-state.ts';
import type { Reserve } from './reserve.ts';
import type { CallsUnderWay } from './under-way.ts';

/** What a slot is one of. */
export interface TakenFrom {
  readonly allowance: Allowance;
  readonly reserve: Reserve;
  readonly underWay: CallsUnderWay;
  /** The how manieth of its period it was when it was taken. */
  readonly number: number;
  /** Calls past so many are paid for with credits; undefined where none are. */
  readonly paidPast: number | undefined;
}

export type Settling = 'kept' | 'given back' | 'undone' | 'lost';
type OnSettled = (slot: Slot, from: TakenFrom, how: Settling) => void | Promise<void>;

/** A call that counts unless it is given back. It is settled once; after that nothing changes. */
export class Slot {
  /** Its place among the open ones. */
  place = -1;
  readonly #from: TakenFrom;
  readonly #onSettled: OnSettled;
  #settled = false;

  constructor(from: TakenFrom, onSettled: OnSettled) {
    this.#from = from;
    this.#onSettled = onSettled;
  }

  get accountId(): string {
    return this.#from.allowance.accountId;
  }

  get reserve(): Reserve {
    return this.#from.reserve;
  }

  /** The period that it counts in. */
  get periodStartMs(): number {
    return this.#from.allowance.periodStartMs;
  }

  get number(): number {
    return this.#from.number;
  }

  get paidPast(): number | undefined {
    return this.#from.paidPast;
  }

  get isSettled(): boolean {
    return this.#settled;
  }

  isOf({ accountId, periodStartMs }: Allowance): boolean {
    const { allowance } = this.#from;
    return allowance.accountId === accountId && allowance.periodStartMs === periodStartMs;
  }

  /** The call counts. It is recorded in the same breath, or a count that is begun between the two misses it. */
  keep(): void {
    this.#settle('kept');
  }

  /** The call doesn't count. Where the store can't be told it stays counted; that is no error of the call. */
  async giveBack(): Promise<void> {
    await this.#settle('given back');
  }

  /** The call was never made, which is no failure of it. */
  async undo(): Promise<void> {
    await this.#settle('undone');
  }

  /** The count that it was taken from is gone. */
  lose(): void {
    this.#settle('lost');
  }

  #settle(how: Settling): void | Promise<void> {
    if (this.#settled) return;
    this.#settled = true;
    return this.#onSettled(this, this.#from, how);
  }
}
