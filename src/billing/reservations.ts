import { randomUUID } from 'node:crypto';
import type { Reservation, ReservationQuery, SettledAmount, UsageStore } from '../kernel/ports/records.ts';
import { storageUnavailable } from '../kernel/ports/storage-unavailable.ts';
import type { Clock } from '../lib/clock.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import { limits } from './limits.ts';
import { Reserve } from './reserve.ts';

interface ReservationsParts {
  readonly usageStore: Pick<UsageStore, 'reserve' | 'reserved'>;
  readonly clock: Clock;
  /** Called once each time the database stops accepting reservations; calls continue without. */
  readonly onError?: ((error: unknown) => void) | undefined;
  readonly waitMs?: number;
  readonly trimMs?: number;
}

/** The settled amounts of one batch of usage, by reserve. */
export type SettledAmounts = Map<Reserve, Writable<SettledAmount>>;

type Writable<Row> = { -readonly [Field in keyof Row]: Row[Field] };
type SettleListener = (settled: SettledAmount) => void;

/**
 * The usage that this process may admit before it is stored. The database has the reservation first, so that a killed
 * process has never admitted more than the database says.
 */
export class Reservations {
  /** Identifies the rows of this process; a restarted process gets a new id. */
  readonly processId = randomUUID();
  readonly #parts: ReservationsParts;
  /** By account. */
  readonly #reserves = new Map<string, readonly Reserve[]>();
  /** Reserves for the next write. */
  readonly #shortReserves = new Set<Reserve>();
  #settledAmounts: SettledAmounts = new Map();
  #onSettle: SettleListener | undefined;
  /** Writes are sequential. */
  #lastWrite: Promise<unknown> = Promise.resolve();
  #nextWrite: Promise<void> | undefined;
  #isUnavailable = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: ReservationsParts) {
    this.#parts = parts;
  }

  /** Whether the database does not accept reservations at the moment. */
  get isUnavailable(): boolean {
    return this.#isUnavailable;
  }

  /** Finds or creates a reserve, which exists while something was or may be admitted on it. */
  reserveFor(query: ReservationQuery, untilMs?: number): Reserve {
    const { accountId } = query;
    const reserves = this.#reserves.get(accountId) ?? [];
    for (const reserve of reserves) if (isSameReservation(reserve.query, query)) return reserve;
    const reserve = new Reserve(query, untilMs);
    this.#reserves.set(accountId, [...reserves, reserve]);
    this.#timer ??= setInterval(() => this.#trim(), this.#parts.trimMs ?? limits.reservationTrimMs).unref();
    return reserve;
  }

  /**
   * Covers a further amount. Returns undefined if the stored reservation is large enough, else resolves when it is. If the
   * database is unavailable, calls continue: with cached keys and counts they don't need it.
   */
  cover(reserve: Reserve, amount: number): Promise<void> | undefined {
    if (reserve.take(amount)) return undefined;
    this.#shortReserves.add(reserve);
    return this.#isUnavailable ? undefined : this.#writeShort();
  }

  /** Ends a call: of the admitted amount, `used` was used and will be stored with the current batch of usage. */
  settle(reserve: Reserve, amount: number, used: number): void {
    reserve.needed += used - amount;
    if (used <= 0) return;
    let settled = this.#settledAmounts.get(reserve);
    if (settled === undefined) {
      settled = { ...reserve.query, processId: this.processId, amount: 0 };
      this.#settledAmounts.set(reserve, settled);
    }
    settled.amount += used;
    this.#onSettle?.(settled);
  }

  /** Of the admitted amount nothing is needed, which the database knows when this resolves. */
  async release(reserve: Reserve, amount: number): Promise<void> {
    this.settle(reserve, amount, 0);
    this.#shortReserves.add(reserve);
    await this.#writeShort();
  }

  /** Later settlements belong to a new batch of usage; `onSettle` is called for each. */
  startBatch(onSettle?: SettleListener): SettledAmounts {
    this.#settledAmounts = new Map();
    this.#onSettle = onSettle;
    return this.#settledAmounts;
  }

  /** Stores a batch together with the reservations that remain after it. */
  storeBatch(
    settled: SettledAmounts,
    store: (reserved: readonly Reservation[]) => Promise<unknown>,
  ): Promise<void> {
    return this.#enqueueWrite(() => {
      const reserves = new Set([...settled.keys(), ...this.#drainShort()]);
      return this.#write(reserves, { settled, store });
    });
  }

  /** The reservations of all other processes, including killed ones. */
  async reservedByOthers(query: ReservationQuery): Promise<readonly Reservation[]> {
    return this.withoutOwn(await this.#parts.usageStore.reserved(query));
  }

  withoutOwn(reservations: readonly Reservation[]): readonly Reservation[] {
    return reservations.filter(({ processId }) => processId !== this.processId);
  }

  /** Releases unused reservations; those of open or unstored calls stay. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#enqueueWrite(() => this.#write([...this.#reserves.values()].flat(), { isLast: true }));
  }

  /** Resolves when all short reserves are written, or can't be. Later callers share the next write. */
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
    const plans = [...reserves].map((reserve) =>
      reserve.planWrite(settled?.get(reserve)?.amount ?? 0, isLast),
    );
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

  /** Lowers excess reservations, renews old ones, and retries failed writes. */
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
