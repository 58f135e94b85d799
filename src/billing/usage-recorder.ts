import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../kernel/clock.ts';
import { limits } from '../kernel/limits.ts';
import type { UsageBatch, UsageBook, UsageDay } from '../kernel/ports/records.ts';
import { unavailable } from '../kernel/ports/unavailable.ts';
import { within } from '../kernel/within.ts';
import { type RecordedCall, type SpentAttempt, type UsageQuestion, UsageTally } from './usage-tally.ts';

interface RecorderParts {
  readonly book: UsageBook;
  readonly clock: Clock;
  /** Told of every try to store that failed; it is made again. */
  readonly onError?: (error: unknown) => void;
  readonly flushMs?: number;
  readonly sumsMax?: number;
}

/** Sums on their way to the book. The same batch is sent until it is there, since a try may fail after it succeeded. */
interface Sealed {
  readonly tally: UsageTally;
  readonly batch: UsageBatch;
}

const dayMs = 86_400_000;

/** Gathers what calls used in memory, and stores it every second, away from the calls. */
export class UsageRecorder {
  readonly #book: UsageBook;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  readonly #flushMs: number;
  readonly #sumsMax: number;
  readonly #sealed = new Set<Sealed>();
  #tally: UsageTally;
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> | undefined;
  /** Tries to store, counted when they begin. */
  #rounds = 0;
  #failedRounds = 0;
  #today = { startMs: 0, endMs: 0, name: '' };

  constructor({ book, clock, onError, flushMs, sumsMax }: RecorderParts) {
    this.#book = book;
    this.#clock = clock;
    this.#onError = onError ?? (() => undefined);
    this.#flushMs = flushMs ?? limits.usageFlushMs;
    this.#sumsMax = sumsMax ?? limits.usageSumsMax;
    this.#tally = new UsageTally(this.#sumsMax);
  }

  /** Sums that are not stored yet. */
  get waitingSums(): number {
    let size = 0;
    for (const tally of this.#tallies()) size += tally.size;
    return size;
  }

  /** Tries to store that failed since the last that didn't. */
  get failedRounds(): number {
    return this.#failedRounds;
  }

  /** `atMs` says which day the call is of. */
  record(call: RecordedCall, atMs: number): void {
    this.#tally.count(call, this.#dayAt(atMs));
    if (this.#timer === undefined && this.#flushing === undefined) this.#schedule();
  }

  /** What one attempt of a call used, where the call itself doesn't say. */
  spend(attempt: SpentAttempt, atMs: number): void {
    this.#tally.spend(attempt, this.#dayAt(atMs));
    if (this.#timer === undefined && this.#flushing === undefined) this.#schedule();
  }

  /** Counted calls that are not stored yet. */
  unflushed(accountId: string, periodStartMs: number): number {
    let calls = 0;
    for (const tally of this.#tallies()) calls += tally.calls(accountId, periodStartMs);
    return calls;
  }

  /** All counted calls of a period, stored or not. */
  async counted(accountId: string, periodStartMs: number): Promise<number> {
    const stored = await this.#undisturbed(() => this.#book.counted(accountId, periodStartMs));
    return stored + this.unflushed(accountId, periodStartMs);
  }

  /** All usage of those days, stored or not; the same sum may come in parts. */
  async days(question: UsageQuestion): Promise<readonly UsageDay[]> {
    const stored = await this.#undisturbed(() => this.#book.days(question));
    return [...stored, ...[...this.#tallies()].flatMap((tally) => tally.days(question))];
  }

  /** Stores what there is, trying again until the time is over. False where some could not be stored. */
  async flush(withinMs: number): Promise<boolean> {
    const untilMs = performance.now() + withinMs;
    while (this.waitingSums > 0) {
      const leftMs = untilMs - performance.now();
      if (leftMs <= 0) return false;
      await within(this.#flush(), leftMs, () => unavailable('usage was not stored in time')).catch(
        this.#onError,
      );
      if (this.#failedRounds > 0)
        await sleep(Math.min(Math.max(untilMs - performance.now(), 0), this.#flushMs));
    }
    return true;
  }

  *#tallies(): Generator<UsageTally> {
    yield this.#tally;
    for (const { tally } of this.#sealed) yield tally;
  }

  /** While a batch is on its way nobody can say whether it is stored; a reading is of a moment when none was. */
  async #undisturbed<Stored>(read: () => Promise<Stored>): Promise<Stored> {
    for (let reads = 0; reads < limits.usageReadsMax; reads++) {
      while (this.#flushing !== undefined) await this.#flushing;
      const before = this.#rounds;
      const stored = await read();
      if (this.#rounds === before) return stored;
    }
    throw unavailable('the database is slow');
  }

  #schedule(): void {
    const pauseMs = Math.min(this.#flushMs * 2 ** this.#failedRounds, limits.usageRetryMsMax);
    this.#timer = setTimeout(() => void this.#flush(), pauseMs).unref();
  }

  #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#flushing ??= this.#round().finally(() => {
      this.#flushing = undefined;
      if (this.waitingSums > 0) this.#schedule();
    });
    return this.#flushing;
  }

  async #round(): Promise<void> {
    this.#rounds++;
    this.#seal();
    let failed = false;
    for (const sealed of this.#sealed) {
      try {
        await this.#book.add(sealed.batch);
        this.#sealed.delete(sealed);
      } catch (error) {
        failed = true;
        this.#onError(error);
      }
    }
    this.#failedRounds = failed ? this.#failedRounds + 1 : 0;
  }

  #seal(): void {
    const tally = this.#tally;
    if (tally.size === 0 || this.#sealed.size >= limits.usageBatchesMax) return;
    this.#sealed.add({ tally, batch: { id: randomUUID(), atMs: this.#clock.now(), ...tally.rows() } });
    this.#tally = new UsageTally(this.#sumsMax);
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
