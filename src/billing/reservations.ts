import { randomUUID } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import { limits } from '../kernel/limits.ts';
import type { Reservation, ReservationQuestion, UsageBook } from '../kernel/ports/records.ts';
import { unavailable } from '../kernel/ports/unavailable.ts';
import { within } from '../kernel/within.ts';
import { Reserve } from './reserve.ts';

interface ReservationsParts {
  readonly book: Pick<UsageBook, 'reserve' | 'reserved'>;
  readonly clock: Clock;
  /** Told once each time that the database stops taking reservations; calls go on without. */
  readonly onError?: ((error: unknown) => void) | undefined;
  readonly waitMs?: number;
  readonly trimMs?: number;
}

/** What calls of one batch of usage came to, by the reserve that they were let through on. */
export type Settlements = Map<Reserve, number>;

/**
 * What this process may let through before it has stored what came of it. The database knows of it first, so that a
 * process that is killed has never let through more than the database says.
 */
export class Reservations {
  /** By which its rows are told from those of others; a process that is started again is another. */
  readonly processId = randomUUID();
  readonly #parts: ReservationsParts;
  /** By account. */
  readonly #reserves = new Map<string, readonly Reserve[]>();
  /** Those that the next write is for. */
  readonly #short = new Set<Reserve>();
  #settlements: Settlements = new Map();
  /** Writes come one after the other. */
  #last: Promise<unknown> = Promise.resolve();
  #next: Promise<void> | undefined;
  #isAway = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: ReservationsParts) {
    this.#parts = parts;
  }

  /** Whether the database takes no reservations at the moment. */
  get isAway(): boolean {
    return this.#isAway;
  }

  /** The reserve for this, which is kept for as long as something was let through on it, or may be. */
  of(question: ReservationQuestion, untilMs?: number): Reserve {
    const { accountId } = question;
    const reserves = this.#reserves.get(accountId) ?? [];
    for (const known of reserves) if (isSame(known.question, question)) return known;
    const reserve = new Reserve(question, untilMs);
    this.#reserves.set(accountId, [...reserves, reserve]);
    this.#timer ??= setInterval(() => this.#trim(), this.#parts.trimMs ?? limits.reservationTrimMs).unref();
    return reserve;
  }

  /**
   * Covers so much more. Undefined where the database knows of enough already, else resolves when it does. Where it is
   * away, calls go on: whoever knows their key and their count doesn't need it.
   */
  cover(reserve: Reserve, amount: number): Promise<void> | undefined {
    if (reserve.take(amount)) return undefined;
    this.#short.add(reserve);
    return this.#isAway ? undefined : this.#written();
  }

  /** The call is over: of what was let through, so much was used, and will be stored with the usage of this moment. */
  settle(reserve: Reserve, amount: number, used: number): void {
    reserve.need += used - amount;
    if (used > 0) this.#settlements.set(reserve, (this.#settlements.get(reserve) ?? 0) + used);
  }

  /** What is settled from now on is stored with another batch of usage. */
  turnPage(): Settlements {
    this.#settlements = new Map();
    return this.#settlements;
  }

  /** Stores a batch together with what is reserved once it is stored. */
  storing(
    settled: Settlements,
    store: (reserved: readonly Reservation[]) => Promise<unknown>,
  ): Promise<void> {
    return this.#inTurn(() => {
      const reserves = new Set([...settled.keys(), ...this.#takeShort()]);
      return this.#write(reserves, { settled, store });
    });
  }

  /** What all other processes have reserved, those that were killed included. */
  async elsewhere(question: ReservationQuestion): Promise<readonly Reservation[]> {
    return this.others(await this.#parts.book.reserved(question));
  }

  others(reservations: readonly Reservation[]): readonly Reservation[] {
    return reservations.filter(({ processId }) => processId !== this.processId);
  }

  /** Gives back what nothing came of; what is still open or not stored stays. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#inTurn(() => this.#write([...this.#reserves.values()].flat(), { isLast: true }));
  }

  /** Resolves when all that is short now is written, or can't be. Those who come meanwhile share the next write. */
  #written(): Promise<void> {
    this.#next ??= within(
      this.#inTurn(() => {
        this.#next = undefined;
        return this.#write(this.#takeShort());
      }),
      this.#parts.waitMs ?? limits.reservationWaitMs,
      () => unavailable('the database is slow'),
    ).catch((error) => {
      if (!this.#isAway) this.#parts.onError?.(error);
      this.#isAway = true;
      this.#next = undefined;
    });
    return this.#next;
  }

  #takeShort(): readonly Reserve[] {
    const short = [...this.#short];
    this.#short.clear();
    return short;
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #write(reserves: Iterable<Reserve>, { settled, store, isLast = false }: Writing = {}): Promise<void> {
    const nowMs = this.#parts.clock.now();
    const plans = [...reserves].map((reserve) => reserve.plan(settled?.get(reserve) ?? 0, isLast));
    const changed = plans
      .filter((plan) => plan.isChange)
      .map((plan) => this.#row(plan.reserve, plan.amount, nowMs));
    try {
      if (store !== undefined) await store(changed);
      else if (changed.length > 0) await this.#parts.book.reserve(changed);
    } catch (error) {
      for (const { reserve } of plans) if (reserve.isShort) this.#short.add(reserve);
      throw error;
    }
    this.#isAway = false;
    for (const plan of plans) plan.reserve.written(plan, nowMs);
  }

  #row({ question, untilMs }: Reserve, amount: number, atMs: number): Reservation {
    return {
      ...question,
      processId: this.processId,
      amount,
      atMs,
      untilMs: untilMs ?? atMs + limits.reservationKeptMs,
    };
  }

  /** Lowers what is more than calls will need, writes anew what is open for long, and tries again what failed. */
  #trim(): void {
    const beforeMs = this.#parts.clock.now() - limits.reservationRenewalMs;
    for (const [accountId, reserves] of this.#reserves) {
      const left = reserves.filter((reserve) => !reserve.isOver);
      for (const reserve of left) if (reserve.rests(beforeMs)) this.#short.add(reserve);
      if (left.length === 0) this.#reserves.delete(accountId);
      else if (left.length < reserves.length) this.#reserves.set(accountId, left);
    }
    if (this.#reserves.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    } else if (this.#short.size > 0) void this.#written();
  }
}

interface Writing {
  readonly settled?: Settlements;
  readonly store?: (reserved: readonly Reservation[]) => Promise<unknown>;
  readonly isLast?: boolean;
}

/** Of one account. */
function isSame(one: ReservationQuestion, other: ReservationQuestion): boolean {
  return one.periodStartMs === other.periodStartMs && one.keyId === other.keyId && one.of === other.of;
}
