import { setTimeout as sleep } from 'node:timers/promises';
import { withTimeout } from '../lib/with-timeout.ts';
import { isStorageUnavailable, storageUnavailable } from './ports/storage-unavailable.ts';

type ErrorListener = (error: unknown) => void;

export interface WriteBehindParts<Batch> {
  /** Creates an empty batch. */
  createBatch(): Batch;
  /** May get a batch that is already stored, since an attempt can fail after it succeeded. */
  store(batch: Batch): Promise<void>;
  /** The delay before a batch is stored; doubles with each failure, up to `retryMsMax`. */
  readonly flushMs: number;
  readonly retryMsMax: number;
  /** The maximum size of all waiting batches together, in the unit of `setSize`. */
  readonly waitingMax?: number;
  /** How many batches may fail before the others wait for them. */
  readonly failedMax?: number;
  /** How often a batch may be rejected before it is dropped; by default, each is sent until it is stored. */
  readonly giveUp?: {
    isRejection(error: unknown): boolean;
    readonly rejectionsMax: number;
    onGivenUp?(batch: Batch): void;
  };
  /** Called for every failed attempt; it is retried. */
  readonly onError?: ErrorListener | undefined;
  /** Called when a round succeeds after failed ones, with the time since the first of them. */
  readonly onRecovered?: ((ms: number) => void) | undefined;
  /** Called each time that records start to be dropped, because too many wait or the store rejects them. */
  readonly onDrop?: (() => void) | undefined;
}

/** A closed batch: a retry sends the same. */
interface SealedBatch<Batch> {
  readonly batch: Batch;
  readonly number: number;
  readonly size: number;
  readonly bytes: number;
  /** When its first record came. */
  readonly sinceMs: number;
  rejections: number;
}

/** Fills batches in memory and stores them later, one at a time, without blocking those who record. */
export class WriteBehind<Batch> {
  readonly #parts: WriteBehindParts<Batch>;
  readonly #onError: ErrorListener;
  readonly #waitingMax: number;
  readonly #sealed: SealedBatch<Batch>[] = [];
  #sealedSize = 0;
  #sealedBytes = 0;
  #filling: Batch;
  #fillingSize = 0;
  #fillingBytes = 0;
  #fillingSinceMs = 0;
  /** Batches are numbered in order. */
  #number = 1;
  #dropped = 0;
  #dropping = false;
  #timer: NodeJS.Timeout | undefined;
  #storing: Promise<void> | undefined;
  /** Counted at their start. */
  #rounds = 0;
  #failedRounds = 0;
  #unavailableRounds = 0;
  #failingSinceMs = 0;
  #lastFailure: unknown;

  constructor(parts: WriteBehindParts<Batch>) {
    this.#parts = parts;
    this.#onError = parts.onError ?? (() => undefined);
    this.#waitingMax = parts.waitingMax ?? Number.POSITIVE_INFINITY;
    this.#filling = parts.createBatch();
  }

  /** The batch to add records to; call `setSize` after each. */
  get filling(): Batch {
    return this.#filling;
  }

  /** All unstored batches, the latest first. */
  get batches(): readonly Batch[] {
    return [this.#filling, ...this.#sealed.map(({ batch }) => batch).reverse()];
  }

  /** The size of all unstored batches. */
  get waiting(): number {
    return this.#sealedSize + this.#fillingSize;
  }

  /** How long the oldest record has waited; 0 if none waits. */
  get oldestMs(): number {
    if (this.waiting === 0) return 0;
    return performance.now() - (this.#sealed[0]?.sinceMs ?? this.#fillingSinceMs);
  }

  /** Records dropped since the start. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Consecutive failed rounds. */
  get failedRounds(): number {
    return this.#failedRounds;
  }

  /** Whether the store failed twice in a row, because it didn't respond or had no room. */
  get isStoreUnavailable(): boolean {
    return this.#unavailableRounds > 1;
  }

  get isFull(): boolean {
    return this.#waitingBytes >= this.#waitingMax;
  }

  /** Whether more records fit, which `isAllowed` can deny; counts them as dropped otherwise. */
  hasRoom(records = 1, isAllowed = true): boolean {
    if (isAllowed && !this.isFull) return true;
    this.#drop(records);
    return false;
  }

  /** Updates the size of the current batch, in records and, if these differ much, in bytes. */
  setSize(size: number, bytes = size): void {
    if (this.#fillingSize === 0) this.#fillingSinceMs = performance.now();
    this.#fillingSize = size;
    this.#fillingBytes = bytes;
    if (this.#timer === undefined && this.#storing === undefined) this.#schedule();
  }

  /** Closes the current batch and stores it at once, unless the store has just failed. */
  sealAndStore(): void {
    this.#seal();
    if (this.#failedRounds === 0) void this.#store();
  }

  /** Stores what was recorded until now, with retries until the timeout. False if some could not be stored. */
  flush(withinMs: number): Promise<boolean> {
    return this.#flush(withinMs, this.#lastNumber);
  }

  /** Like `flush`, including what is recorded meanwhile. */
  drain(withinMs: number): Promise<boolean> {
    return this.#flush(withinMs, Number.POSITIVE_INFINITY);
  }

  /** Stores what was recorded until now in one round, and reports its errors to `onError`. */
  async storeOnce(onError = this.#onError): Promise<void> {
    while (this.#storing !== undefined) await this.#storing;
    await this.#store(onError);
  }

  /** Reads while no batch is being stored, since it is unknown whether one in flight is stored. */
  async readBetweenRounds<Stored>(readsMax: number, read: () => Promise<Stored>): Promise<Stored> {
    for (let reads = 0; reads < readsMax; reads++) {
      while (this.#storing !== undefined) await this.#storing;
      const before = this.#rounds;
      const stored = await read();
      if (this.#rounds === before) return stored;
    }
    throw storageUnavailable('the database did not become idle');
  }

  /** Stops storing until more is recorded. */
  cancelTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  get #waitingBytes(): number {
    return this.#sealedBytes + this.#fillingBytes;
  }

  /** The number of the last non-empty batch. */
  get #lastNumber(): number {
    return this.#fillingSize > 0 ? this.#number : this.#number - 1;
  }

  async #flush(withinMs: number, last: number): Promise<boolean> {
    const untilMs = performance.now() + withinMs;
    const leftMs = () => Math.max(untilMs - performance.now(), 0);
    while (this.waiting > 0 && (this.#sealed[0]?.number ?? this.#number) <= last) {
      if (leftMs() === 0) return false;
      await withTimeout(this.#store(), leftMs(), () => storageUnavailable('storing timed out')).catch(
        this.#onError,
      );
      if (this.#failedRounds > 0) await sleep(Math.min(leftMs(), this.#parts.flushMs));
    }
    return true;
  }

  #schedule(): void {
    const { flushMs, retryMsMax } = this.#parts;
    const pauseMs = Math.min(flushMs * 2 ** this.#failedRounds, retryMsMax);
    this.#timer = setTimeout(() => void this.#store(), pauseMs).unref();
  }

  #store(onError = this.#onError): Promise<void> {
    this.cancelTimer();
    this.#storing ??= this.#storeRound(onError).finally(() => {
      this.#storing = undefined;
      if (this.waiting > 0) this.#schedule();
    });
    return this.#storing;
  }

  /** Ends with the batch that was current at its start, however many follow. */
  async #storeRound(onError: ErrorListener): Promise<void> {
    this.#rounds++;
    const last = this.#lastNumber;
    const { failedMax = 1 } = this.#parts;
    let failed = 0;
    while (failed < failedMax) {
      if (failed === this.#sealed.length && this.#number <= last) this.#seal();
      const next = this.#sealed[failed];
      if (next === undefined || next.number > last) break;
      if (await this.#tryStore(next, onError)) {
        this.#sealed.splice(failed, 1);
        this.#sealedSize -= next.size;
        this.#sealedBytes -= next.bytes;
      } else failed++;
    }
    if (failed > 0 && this.#failedRounds === 0) this.#failingSinceMs = performance.now();
    if (failed === 0 && this.#failedRounds > 0)
      this.#parts.onRecovered?.(performance.now() - this.#failingSinceMs);
    this.#failedRounds = failed > 0 ? this.#failedRounds + 1 : 0;
    this.#unavailableRounds =
      failed > 0 && isStorageUnavailable(this.#lastFailure) ? this.#unavailableRounds + 1 : 0;
  }

  #seal(): void {
    const [batch, number, size, bytes] = [
      this.#filling,
      this.#number++,
      this.#fillingSize,
      this.#fillingBytes,
    ];
    this.#sealed.push({ batch, number, size, bytes, sinceMs: this.#fillingSinceMs, rejections: 0 });
    this.#sealedSize += size;
    this.#sealedBytes += bytes;
    this.#filling = this.#parts.createBatch();
    this.#fillingSize = 0;
    this.#fillingBytes = 0;
  }

  /** Tries to store it; true if it is stored or dropped. */
  async #tryStore(sealedBatch: SealedBatch<Batch>, onError: ErrorListener): Promise<boolean> {
    const { giveUp } = this.#parts;
    try {
      await this.#parts.store(sealedBatch.batch);
      if (this.#waitingBytes - sealedBatch.bytes < this.#waitingMax / 2) this.#dropping = false;
      return true;
    } catch (error) {
      onError(error);
      this.#lastFailure = error;
      if (giveUp === undefined || !giveUp.isRejection(error)) return false;
      if (++sealedBatch.rejections < giveUp.rejectionsMax) return false;
      this.#drop(sealedBatch.size);
      giveUp.onGivenUp?.(sealedBatch.batch);
      return true;
    }
  }

  #drop(size: number): void {
    this.#dropped += size;
    if (!this.#dropping) this.#parts.onDrop?.();
    this.#dropping = true;
  }
}
