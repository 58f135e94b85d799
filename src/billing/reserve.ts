import { limits } from '../kernel/limits.ts';
import type { ReservationQuery } from '../kernel/ports/records.ts';

/** What is to be written of a reserve. */
export interface ReserveWrite {
  readonly reserve: Reserve;
  /** What the database will say. */
  readonly amount: number;
  /** What is stored in the same step, and needs no reserve any more. */
  readonly stored: number;
  readonly isChange: boolean;
}

/** How much of one thing a process may let through: calls of an account in a period, or money of a key. */
export class Reserve {
  readonly query: ReservationQuery;
  /** Undefined where it matters for some time from when it is written. */
  readonly untilMs: number | undefined;
  /** What was let through, or is about to be, and is not stored. */
  needed = 0;
  /** The most that it may be ahead of what is needed, so that a kill costs little where little is left. */
  aheadMax = 0;
  /** The least that the database says, with what it will say when a write that is under way is done. */
  #durable = 0;
  /** Whether a write is under way, or failed: the database may say more. */
  #isUnconfirmed = false;
  #writtenAtMs = 0;
  /** What was let through since usage was stored, and before that. */
  #currentWindow = { times: 0, amount: 0 };
  #previousWindow = { times: 0, amount: 0 };
  #wasIdle = false;

  constructor(question: ReservationQuery, untilMs: number | undefined) {
    this.query = question;
    this.untilMs = untilMs;
  }

  /** Whether more is needed than the database knows of. */
  get isShort(): boolean {
    return this.needed > this.#durable;
  }

  /** Nothing is let through on it, and the database knows of nothing. */
  get isEmpty(): boolean {
    return this.needed === 0 && this.#durable === 0 && !this.#isUnconfirmed;
  }

  /** Counts it as let through; false where the database has to know first. */
  take(amount: number): boolean {
    this.needed += amount;
    this.#currentWindow.times++;
    this.#currentWindow.amount += amount;
    this.#wasIdle = false;
    return !this.isShort;
  }

  /** While it is under way only that is covered which is covered with it and without it. */
  planWrite(stored: number, isLast: boolean): ReserveWrite {
    const needed = Math.max(this.needed - stored, 0);
    if (stored > 0) this.#rotateWindow();
    const amount = needed + (isLast ? 0 : this.#aheadAmount(stored > 0 || this.#wasIdle));
    const isChange = amount !== this.#durable || this.#isUnconfirmed || this.#wasIdle;
    this.#isUnconfirmed = true;
    this.#durable = Math.min(this.#durable, amount + stored);
    return { reserve: this, amount, stored, isChange };
  }

  confirmWrite({ amount, stored }: ReserveWrite, atMs: number): void {
    this.needed = Math.max(this.needed - stored, 0);
    this.#durable = amount;
    this.#isUnconfirmed = false;
    this.#writtenAtMs = atMs;
  }

  /** Whether it should be written though nothing more is needed: nobody used it for a while, or it is old. */
  checkIdle(beforeMs: number): boolean {
    if (this.isShort || this.#isUnconfirmed) return true;
    const hasRested = this.#wasIdle;
    this.#wasIdle = true;
    if (!hasRested) return false;
    this.#currentWindow = { times: 0, amount: 0 };
    this.#previousWindow = { times: 0, amount: 0 };
    return this.#durable > this.needed || this.#writtenAtMs <= beforeMs;
  }

  #rotateWindow(): void {
    this.#previousWindow = this.#currentWindow;
    this.#currentWindow = { times: 0, amount: 0 };
  }

  /** A quarter of a second of what comes; where little comes, as much as came. */
  #aheadAmount(isStored: boolean): number {
    const { times, amount } =
      this.#currentWindow.times > this.#previousWindow.times ? this.#currentWindow : this.#previousWindow;
    if (times === 0 || (isStored && times < limits.reservedAheadMin)) return 0;
    const ahead = Math.max(Math.floor(times / 4), Math.min(times - 1, limits.reservedAheadMin));
    return Math.max(0, Math.floor(Math.min((ahead * amount) / times, this.aheadMax)));
  }
}
