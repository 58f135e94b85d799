import { limits } from '../kernel/limits.ts';
import type { ReservationQuestion } from '../kernel/ports/records.ts';

/** What is to be written of a reserve. */
export interface Plan {
  readonly reserve: Reserve;
  /** What the database will say. */
  readonly amount: number;
  /** What is stored in the same step, and needs no reserve any more. */
  readonly stored: number;
  readonly isChange: boolean;
}

/** How much of one thing a process may let through: calls of an account in a period, or money of a key. */
export class Reserve {
  readonly question: ReservationQuestion;
  /** Undefined where it matters for some time from when it is written. */
  readonly untilMs: number | undefined;
  /** What was let through, or is about to be, and is not stored. */
  need = 0;
  /** The most that it may be ahead of what is needed, so that a kill costs little where little is left. */
  aheadMax = 0;
  /** The least that the database says, with what it will say when a write that is under way is done. */
  #durable = 0;
  /** Whether a write is under way, or failed: the database may say more. */
  #isUnsure = false;
  #writtenAtMs = 0;
  /** What was let through since usage was stored, and before that. */
  #taken = { times: 0, amount: 0 };
  #before = { times: 0, amount: 0 };
  #hasRested = false;

  constructor(question: ReservationQuestion, untilMs: number | undefined) {
    this.question = question;
    this.untilMs = untilMs;
  }

  /** Whether more is needed than the database knows of. */
  get isShort(): boolean {
    return this.need > this.#durable;
  }

  /** Nothing is let through on it, and the database knows of nothing. */
  get isOver(): boolean {
    return this.need === 0 && this.#durable === 0 && !this.#isUnsure;
  }

  /** Counts it as let through; false where the database has to know first. */
  take(amount: number): boolean {
    this.need += amount;
    this.#taken.times++;
    this.#taken.amount += amount;
    this.#hasRested = false;
    return !this.isShort;
  }

  /** While it is under way only that is covered which is covered with it and without it. */
  plan(stored: number, isLast: boolean): Plan {
    const needed = Math.max(this.need - stored, 0);
    if (stored > 0) this.#turn();
    const amount = needed + (isLast ? 0 : this.#ahead(stored > 0 || this.#hasRested));
    const isChange = amount !== this.#durable || this.#isUnsure || this.#hasRested;
    this.#isUnsure = true;
    this.#durable = Math.min(this.#durable, amount + stored);
    return { reserve: this, amount, stored, isChange };
  }

  written({ amount, stored }: Plan, atMs: number): void {
    this.need = Math.max(this.need - stored, 0);
    this.#durable = amount;
    this.#isUnsure = false;
    this.#writtenAtMs = atMs;
  }

  /** Whether it should be written though nothing more is needed: nobody used it for a while, or it is old. */
  rests(beforeMs: number): boolean {
    if (this.isShort || this.#isUnsure) return true;
    const hasRested = this.#hasRested;
    this.#hasRested = true;
    if (!hasRested) return false;
    this.#taken = { times: 0, amount: 0 };
    this.#before = { times: 0, amount: 0 };
    return this.#durable > this.need || this.#writtenAtMs <= beforeMs;
  }

  #turn(): void {
    this.#before = this.#taken;
    this.#taken = { times: 0, amount: 0 };
  }

  /** A quarter of a second of what comes; where little comes, as much as came. */
  #ahead(isStored: boolean): number {
    const { times, amount } = this.#taken.times > this.#before.times ? this.#taken : this.#before;
    if (times === 0 || (isStored && times < limits.reservedAheadMin)) return 0;
    const ahead = Math.max(Math.floor(times / 4), Math.min(times - 1, limits.reservedAheadMin));
    return Math.max(0, Math.floor(Math.min((ahead * amount) / times, this.aheadMax)));
  }
}
