import { randomUUID } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import { limits } from '../kernel/limits.ts';
import type { Reservation, ReservationQuery, UsageStore } from '../kernel/ports/records.ts';
import { storageUnavailable } from '../kernel/ports/storage-unavailable.ts';
import { withTimeout } from '../kernel/with-timeout.ts';
import { Reserve } from './reserve.ts';

interface ReservationsParts {
  readonly usageStore: Pick<UsageStore, 'reserve' | 'reserved'>;
  readonly clock: Clock;
  /** Told once each time that the database stops taking reservations; calls go on without. */
  readonly onError?: ((error: unknown) => void) | undefined;
  readonly waitMs?: number;
  readonly trimMs?: number;
}

/** What calls of one batch of usage came to, by the reserve that they were let through on. */
export type SettledAmounts = Map<Reserve, number>;

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
  readonly #shortReserves = new Set<Reserve>();
  #settledAmounts: SettledAmounts = new Map();
  /** Writes come one after the other. */
  #lastWrite: Promise<unknown> = Promise.resolve();
  #nextWrite: Promise<void> | undefined;
  #isUnavailable = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: ReservationsParts) {
    this.#parts = parts;
  }

  /** Whether the database takes no reservations at the moment. */
  get isUnavailable(): boolean {
    return this.#isUnavailable;
  }

  /** The reserve for this, which is kept for as long as something was let through on it, or may be. */
  reserveFor(question: ReservationQuery, untilMs?: number): Reserve {
    const { accountId } = question;
    const reserves = this.#reserves.get(accountId) ?? [];
    for (const known of reserves) if (isSameReservation(known.query, question)) return known;
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
    this.#shortReserves.add(reserve);
    return this.#isUnavailable ? undefined : this.#writeShort();
  }

  /** The call is over: of what was let through, so much was used, and will be stored with the usage of this moment. */
  settle(reserve: Reserve, amount: number, used: number): void {
    reserve.needed += used - amount;
    if (used > 0) this.#settledAmounts.set(reserve, (this.#settledAmounts.get(reserve) ?? 0) + used);
  }

  /** What is settled from now on is stored with another batch of usage. */
  startBatch(): SettledAmounts {
    this.#settledAmounts = new Map();
    return this.#settledAmounts;
  }

  /** Stores a batch together with what is reserved once it is stored. */
  storeBatch(
    settled: SettledAmounts,
    store: (reserved: readonly Reservation[]) => Promise<unknown>,
  ): Promise<void> {
    return this.#enqueueWrite(() => {
      const reserves = new Set([...settled.keys(), ...this.#drainShort()]);
      return this.#write(reserves, { settled, store });
    });
  }

  /** What all other processes have reserved, those that were killed included. */
  async reservedByOthers(question: ReservationQuery): Promise<readonly Reservation[]> {
    return this.withoutOwn(await this.#parts.usageStore.reserved(question));
  }

  withoutOwn(reservations: readonly Reservation[]): readonly Reservation[] {
    return reservations.filter(({ processId }) => processId !== this.processId);
  }

  /** Gives back what nothing came of; what is still open or not stored stays. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#enqueueWrite(() => this.#write([...this.#reserves.values()].flat(), { isLast: true }));
  }

  /** Resolves when all that is short now is written, or can't be. Those who come meanwhile share the next write. */
  #writeShort(): Promise<void> {
    this.#nextWrite ??= withTimeout(
      this.#enqueueWrite(() => {
        this.#nextWrite = undefined;
        return this.#write(this.#drainShort());
      }),
      this.#parts.waitMs ?? limits.reservationWaitMs,
      () => storageUnavailable('the database did not answer in time'),
    ).catch((error) => {
      if (!this.#isUnavailable) this.#parts.onError?.(error);
      this.#isUnavailable = true;
      this.#nextWrite = undefined;
    });
    return this.#nextWrite;
  }

  #drainShort(): readonly Reserve[] {
    const short = [...this.#shortReserves];
    this.#shortReserves.clear();
    return short;
  }

  #enqueueWrite<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#lastWrite.then(work);
    this.#lastWrite = done.catch(() => undefined);
    return done;
  }

  async #write(
    reserves: Iterable<Reserve>,
    { settled, store, isLast = false }: WriteOptions = {},
  ): Promise<void> {
    const nowMs = this.#parts.clock.now();
    const plans = [...reserves].map((reserve) => reserve.planWrite(settled?.get(reserve) ?? 0, isLast));
    const changed = plans
      .filter((plan) => plan.isChange)
      .map((plan) => this.#toRow(plan.reserve, plan.amount, nowMs));
    try {
      if (store !== undefined) await store(changed);
      else if (changed.length > 0) await this.#parts.usageStore.reserve(changed);
    } catch (error) {
      for (const { reserve } of plans) if (reserve.isShort) this.#shortReserves.add(reserve);
      throw error;
    }
    this.#isUnavailable = false;
    for (const reserveWrite of plans) reserveWrite.reserve.confirmWrite(reserveWrite, nowMs);
  }

  #toRow({ query, untilMs }: Reserve, amount: number, atMs: number): Reservation {
    return {
      ...query,
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
      const left = reserves.filter((reserve) => !reserve.isEmpty);
      for (const reserve of left) if (reserve.checkIdle(beforeMs)) this.#shortReserves.add(reserve);
      if (left.length === 0) this.#reserves.delete(accountId);
      else if (left.length < reserves.length) this.#reserves.set(accountId, left);
    }
    if (this.#reserves.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    } else if (this.#shortReserves.size > 0) void this.#writeShort();
  }
}

interface WriteOptions {
  readonly settled?: SettledAmounts;
  readonly store?: (reserved: readonly Reservation[]) => Promise<unknown>;
  readonly isLast?: boolean;
}

/** Of one account. */
function isSameReservation(one: ReservationQuery, other: ReservationQuery): boolean {
  return one.periodStartMs === other.periodStartMs && one.keyId === other.keyId && one.of === other.of;
}
