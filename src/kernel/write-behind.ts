import { setTimeout as sleep } from 'node:timers/promises';
import { isStorageUnavailable, storageUnavailable } from './ports/storage-unavailable.ts';
import { withTimeout } from './with-timeout.ts';

type ErrorListener = (error: unknown) => void;

export interface WriteBehindParts<Batch> {
  /** An empty batch, to be filled. */
  createBatch(): Batch;
  /** May get a batch that is stored already, since a try can fail after it succeeded. */
  store(batch: Batch): Promise<void>;
  /** How late a batch is stored; after each failure twice as late, up to `retryMsMax`. */
  readonly flushMs: number;
  readonly retryMsMax: number;
  /** The size of all batches from which on there is no room for more. */
  readonly waitingMax?: number;
  /** So many batches may fail before the others wait for them. */
  readonly failedMax?: number;
  /** A batch that was refused so often is dropped; without this, each is sent until it is stored. */
  readonly giveUp?: {
    isRejection(error: unknown): boolean;
    readonly rejectionsMax: number;
    onGivenUp?(batch: Batch): void;
  };
  /** Told of every try to store that failed; it is made again. */
  readonly onError?: ErrorListener | undefined;
  /** Told once for each time that records begin to be dropped, because too many wait or the store refuses them. */
  readonly onDrop?: (() => void) | undefined;
}

/** A batch that is not filled any more: the same is sent again where a try fails. */
interface SealedBatch<Batch> {
  readonly batch: Batch;
  readonly number: number;
  readonly size: number;
  rejections: number;
}

/** Batches that are filled in memory and stored later, one at a time, away from those who fill them. */
export class WriteBehind<Batch> {
  readonly #parts: WriteBehindParts<Batch>;
  readonly #onError: ErrorListener;
  readonly #waitingMax: number;
  readonly #sealed: SealedBatch<Batch>[] = [];
  #sealedSize = 0;
  #filling: Batch;
  #fillingSize = 0;
  /** Batches are counted up in the order in which they are filled. */
  #number = 1;
  #dropped = 0;
  #dropping = false;
  #timer: NodeJS.Timeout | undefined;
  #storing: Promise<void> | undefined;
  /** Counted when they begin. */
  #rounds = 0;
  #failedRounds = 0;
  #unavailableRounds = 0;
  #lastFailure: unknown;

  constructor(parts: WriteBehindParts<Batch>) {
    this.#parts = parts;
    this.#onError = parts.onError ?? (() => undefined);
    this.#waitingMax = parts.waitingMax ?? Number.POSITIVE_INFINITY;
    this.#filling = parts.createBatch();
  }

  /** Where records go; `grown` has to be told after each. */
  get filling(): Batch {
    return this.#filling;
  }

  /** All that is not stored yet, the latest first. */
  get batches(): readonly Batch[] {
    return [this.#filling, ...this.#sealed.map(({ batch }) => batch).reverse()];
  }

  /** The size of all that is not stored yet. */
  get waiting(): number {
    return this.#sealedSize + this.#fillingSize;
  }

  /** What was left out since the start. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Rounds of storing that failed since the last that didn't. */
  get failedRounds(): number {
    return this.#failedRounds;
  }

  /** Whether the store took nothing twice in a row, because it didn't answer or had no room. */
  get isStoreUnavailable(): boolean {
    return this.#unavailableRounds > 1;
  }

  /** Whether one more may be recorded. What may not is counted as dropped. */
  hasRoom(): boolean {
    if (this.waiting < this.#waitingMax) return true;
    this.#drop(1);
    return false;
  }

  /** Says how large the batch that is being filled is now. */
  setSize(size: number): void {
    this.#fillingSize = size;
    if (this.#timer === undefined && this.#storing === undefined) this.#schedule();
  }

  /** Says that it takes no more: it is stored at once, unless the store has just failed. */
  sealAndStore(): void {
    this.#seal();
    if (this.#failedRounds === 0) void this.#store();
  }

  /** Stores what was recorded until now, trying again until the time is over. False where some could not be stored. */
  flush(withinMs: number): Promise<boolean> {
    return this.#flush(withinMs, this.#lastNumber);
  }

  /** As `flush`, with all that is recorded meanwhile. */
  drain(withinMs: number): Promise<boolean> {
    return this.#flush(withinMs, Number.POSITIVE_INFINITY);
  }

  /** Stores what was recorded until now in one round, whose errors are told to who asks for it. */
  async storeOnce(onError = this.#onError): Promise<void> {
    while (this.#storing !== undefined) await this.#storing;
    await this.#store(onError);
  }

  /** While a batch is on its way nobody can say whether it is stored; a reading is of a moment when none was. */
  async readBetweenRounds<Stored>(readsMax: number, read: () => Promise<Stored>): Promise<Stored> {
    for (let reads = 0; reads < readsMax; reads++) {
      while (this.#storing !== undefined) await this.#storing;
      const before = this.#rounds;
      const stored = await read();
      if (this.#rounds === before) return stored;
    }
    throw storageUnavailable('the database did not become idle');
  }

  /** Nothing is stored by itself until more is recorded. */
  cancelTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** The number of the last batch that has something in it. */
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

  /** Ends with the batch that was being filled when it began, however many come meanwhile. */
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
      } else failed++;
    }
    this.#failedRounds = failed > 0 ? this.#failedRounds + 1 : 0;
    this.#unavailableRounds =
      failed > 0 && isStorageUnavailable(this.#lastFailure) ? this.#unavailableRounds + 1 : 0;
  }

  #seal(): void {
    const [batch, number, size] = [this.#filling, this.#number++, this.#fillingSize];
    this.#sealed.push({ batch, number, size, rejections: 0 });
    this.#sealedSize += size;
    this.#filling = this.#parts.createBatch();
    this.#fillingSize = 0;
  }

  /** Tries to store it; whether it is stored, or given up. */
  async #tryStore(sealedBatch: SealedBatch<Batch>, onError: ErrorListener): Promise<boolean> {
    const { giveUp } = this.#parts;
    try {
      await this.#parts.store(sealedBatch.batch);
      if (this.waiting - sealedBatch.size < this.#waitingMax / 2) this.#dropping = false;
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
