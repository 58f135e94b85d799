import type { ReservationQuery } from '../kernel/ports/records.ts';
import { limits } from './limits.ts';

/** A pending write of a reserve. */
export interface ReserveWrite {
  readonly reserve: Reserve;
  /** The new amount in the database. */
  readonly amount: number;
  /** The amount stored as usage in the same step, which needs no reserve any more. */
  readonly stored: number;
  readonly isChange: boolean;
}

/** How much a process may admit of one thing: calls of an account in a period, or money of a key. */
export class Reserve {
  readonly query: ReservationQuery;
  /** Undefined if the lifetime counts from the last write. */
  readonly untilMs: number | undefined;
  /** The amount admitted, or about to be, and not stored as usage. */
  needed = 0;
  /** The maximum to reserve ahead, so that a killed process wastes little when little is left. */
  aheadMax = 0;
  /** The minimum in the database, whether or not the pending write succeeds. */
  #durable = 0;
  /** Whether a write is pending or failed: the database may have more. */
  #isUnconfirmed = false;
  #writtenAtMs = 0;
  #isRenewalDue = false;
  /** Whether something was admitted since the last renewal, and in the interval before. */
  #wasUsed = false;
  #isInUse = false;
  /** Amounts admitted since usage was last stored, and in the interval before. */
  #currentWindow = { times: 0, amount: 0 };
  #previousWindow = { times: 0, amount: 0 };
  #wasIdle = false;

  constructor(query: ReservationQuery, untilMs: number | undefined) {
    this.query = query;
    this.untilMs = untilMs;
  }

  /** Whether more is needed than the database has. */
  get isShort(): boolean {
    return this.needed > this.#durable;
  }

  /** Nothing is admitted, and the database has nothing. */
  get isEmpty(): boolean {
    return this.needed === 0 && this.#durable === 0 && !this.#isUnconfirmed;
  }

  /** Counts the amount as admitted; false if a write to the database has to come first. */
  take(amount: number): boolean {
    this.needed += amount;
    this.#currentWindow.times++;
    this.#currentWindow.amount += amount;
    this.#wasIdle = false;
    this.#wasUsed = true;
    this.#isInUse = true;
    return !this.isShort;
  }

  /** While the write is pending, only the amount that is covered with and without it counts as covered. */
  planWrite(stored: number, isLast: boolean): ReserveWrite {
    const needed = Math.max(this.needed - stored, 0);
    if (stored > 0) this.#rotateWindow();
    const ahead = this.#aheadAmount(stored > 0 || this.#wasIdle);
    const amount = isLast ? needed : Math.max(needed + ahead, this.#retainedAmount);
    const isChange = amount !== this.#durable || this.#isUnconfirmed || this.#isRenewalDue;
    this.#isUnconfirmed = true;
    this.#durable = Math.min(this.#durable, amount + stored);
    return { reserve: this, amount, stored, isChange };
  }

  confirmWrite({ amount, stored, isChange }: ReserveWrite, atMs: number): void {
    this.needed = Math.max(this.needed - stored, 0);
    this.#durable = amount;
    this.#isUnconfirmed = false;
    this.#isRenewalDue = false;
    if (isChange) this.#writtenAtMs = atMs;
  }

  /** Whether to write it though nothing more is needed: it was idle for a while, or is old. */
  checkIdle(beforeMs: number): boolean {
    if (this.isShort || this.#isUnconfirmed) return true;
    if (this.#wasIdle) {
      this.#currentWindow = { times: 0, amount: 0 };
      this.#previousWindow = { times: 0, amount: 0 };
    }
    const hasExcess = this.#wasIdle && this.#durable > Math.max(this.needed, this.#retainedAmount);
    this.#wasIdle = true;
    if (this.#writtenAtMs > beforeMs) return hasExcess;
    this.#isRenewalDue = true;
    this.#isInUse = this.#wasUsed;
    this.#wasUsed = false;
    return true;
  }

  /** One call of an account in use stays reserved: where accounts call now and then, each call would cost two writes. */
  get #retainedAmount(): number {
    return this.#isInUse && this.query.of === 'calls' && this.aheadMax >= 1 ? 1 : 0;
  }

  #rotateWindow(): void {
    this.#previousWindow = this.#currentWindow;
    this.#currentWindow = { times: 0, amount: 0 };
  }

  /** A quarter of the last interval's amount; with few calls, as much as they used. */
  #aheadAmount(isStored: boolean): number {
    const { times, amount } =
      this.#currentWindow.times > this.#previousWindow.times ? this.#currentWindow : this.#previousWindow;
    if (times === 0 || (isStored && times < limits.reservedAheadMin)) return 0;
    const ahead = Math.max(Math.floor(times / 4), Math.min(times - 1, limits.reservedAheadMin));
    return Math.max(0, Math.floor(Math.min((ahead * amount) / times, this.aheadMax)));
  }
}
