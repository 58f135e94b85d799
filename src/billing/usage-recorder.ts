import type { Clock } from '../kernel/clock.ts';
import { limits } from '../kernel/limits.ts';
import type { ModuleDay, Reservation, UsageBook, UsageDay } from '../kernel/ports/records.ts';
import { WriteBehind } from '../kernel/write-behind.ts';
import type { ModuleWork } from './module-tally.ts';
import { Reservations } from './reservations.ts';
import { type RecordedCall, type SpentAttempt, type UsageQuestion, UsageTally } from './usage-tally.ts';

interface RecorderParts {
  readonly book: UsageBook;
  readonly clock: Clock;
  /** Told of every try to store that failed; it is made again. */
  readonly onError?: (error: unknown) => void;
  /** Told each time that the database stops taking reservations: calls go on that it doesn't know of. */
  readonly onUnreserved?: (error: unknown) => void;
  /** Told of accounts whose credits paid for calls, once that is stored. */
  readonly onPaid?: (accountIds: readonly string[]) => void;
  readonly flushMs?: number;
  readonly sumsMax?: number;
}

const dayMs = 86_400_000;

/** Sums up usage in memory and stores the sums ten times a second, outside of calls. */
export class UsageRecorder {
  /** What calls may use before it is recorded here. */
  readonly reservations: Reservations;
  readonly #book: UsageBook;
  readonly #clock: Clock;
  readonly #tallies: WriteBehind<UsageTally>;
  #today = { startMs: 0, endMs: 0, name: '' };

  constructor(parts: RecorderParts) {
    const { book, clock, onError, onUnreserved, onPaid, flushMs, sumsMax = limits.usageSumsMax } = parts;
    this.#book = book;
    this.#clock = clock;
    const reservations = new Reservations({ book, clock, onError: onUnreserved });
    this.reservations = reservations;
    this.#tallies = new WriteBehind({
      begin: () => new UsageTally(sumsMax, reservations.turnPage()),
      store: (tally) =>
        reservations.storing(tally.settlements, async (reserved) => {
          const paid = await book.add({ id: tally.id, atMs: clock.now(), ...tally.rows(), reserved });
          if (paid.length > 0) onPaid?.(paid);
        }),
      flushMs: flushMs ?? limits.usageFlushMs,
      retryMsMax: limits.usageRetryMsMax,
      failedMax: limits.usageBatchesMax,
      onError,
    });
  }

  /** Sums that are not stored yet. */
  get waitingSums(): number {
    return this.#tallies.waiting;
  }

  /** Tries to store that failed since the last that didn't. */
  get failedRounds(): number {
    return this.#tallies.failedRounds;
  }

  /** Whether the book takes nothing at the moment. */
  get isAway(): boolean {
    return this.#tallies.isAway;
  }

  /** `atMs` says which day the call is of. */
  record(call: RecordedCall, atMs: number): void {
    const tally = this.#tallies.filling;
    tally.count(call, this.#dayAt(atMs));
    this.#tallies.grown(tally.size);
  }

  /** What one attempt of a call used, where the call itself doesn't say. */
  spend(attempt: SpentAttempt, atMs: number): void {
    const tally = this.#tallies.filling;
    tally.spend(attempt, this.#dayAt(atMs));
    this.#tallies.grown(tally.size);
  }

  /** What a module saved, spent or found out in a call. */
  work(work: ModuleWork, atMs: number): void {
    const tally = this.#tallies.filling;
    tally.work(work, this.#dayAt(atMs));
    this.#tallies.grown(tally.size);
  }

  /** Counted calls that are not stored yet. */
  unflushed(accountId: string, periodStartMs: number): number {
    return this.#tallies.batches.reduce((calls, tally) => calls + tally.calls(accountId, periodStartMs), 0);
  }

  /** All counted calls of a period, stored or not, and those that killed processes may have let through. */
  async counted(accountId: string, periodStartMs: number): Promise<number> {
    const lostBeforeMs = this.#clock.now() - 2 * limits.reservationRenewalMs;
    return this.#countedWith(accountId, periodStartMs, ({ atMs }) => atMs < lostBeforeMs);
  }

  /** Those, and all that other processes may let through before they say so. */
  claimed(accountId: string, periodStartMs: number): Promise<number> {
    return this.#countedWith(accountId, periodStartMs, () => true);
  }

  async #countedWith(
    accountId: string,
    periodStartMs: number,
    isIn: (reservation: Reservation) => boolean,
  ): Promise<number> {
    const { calls, reserved } = await this.#undisturbed(() => this.#book.counted(accountId, periodStartMs));
    const elsewhere = sumOf(this.reservations.others(reserved).filter(isIn));
    return calls + elsewhere + this.unflushed(accountId, periodStartMs);
  }

  /** All usage of those days, stored or not; the same sum may come in parts. */
  async days(question: UsageQuestion): Promise<readonly UsageDay[]> {
    const stored = await this.#undisturbed(() => this.#book.days(question));
    return [...stored, ...this.#tallies.batches.flatMap((tally) => tally.days(question))];
  }

  /** What modules did on those days, stored or not; the same sum may come in parts. */
  async modules(question: UsageQuestion): Promise<readonly ModuleDay[]> {
    const stored = await this.#undisturbed(() => this.#book.modules(question));
    return [...stored, ...this.#tallies.batches.flatMap((tally) => tally.modules(question))];
  }

  /** Stores what there is, trying again until the time is over. False where some could not be stored. */
  flush(withinMs: number): Promise<boolean> {
    return this.#tallies.drain(withinMs);
  }

  #undisturbed<Stored>(read: () => Promise<Stored>): Promise<Stored> {
    return this.#tallies.undisturbed(limits.usageReadsMax, read);
  }

  #dayAt(atMs: number): string {
    if (atMs < this.#today.startMs || atMs >= this.#today.endMs) {
      const startMs = Math.floor(atMs / dayMs) * dayMs;
      const name = new Date(startMs).toISOString().slice(0, 10);
      this.#today = { startMs, endMs: startMs + dayMs, name };
    }
    return this.#today.name;
  }
}

function sumOf(reservations: readonly Reservation[]): number {
  return reservations.reduce((sum, { amount }) => sum + amount, 0);
}
