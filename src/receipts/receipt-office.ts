import { limits } from '../kernel/limits.ts';
import type { OwnedReceipt, Receipts } from '../kernel/ports/receipts.ts';
import { isUnavailable } from '../kernel/ports/unavailable.ts';
import { WriteBehind } from '../kernel/write-behind.ts';
import { type ReceiptFacts, signedFieldsOf } from './receipt.ts';
import type { SigningKey } from './signing-key.ts';

export interface ReceiptOfficeParts {
  readonly receipts: Pick<Receipts, 'add'>;
  readonly key: SigningKey;
  onError(cause: unknown): void;
  /** Told when receipts are lost. */
  onDrop(): void;
}

/** A receipt that is to be made, and whose it is. */
export interface Order {
  readonly facts: ReceiptFacts;
  /** Null where it is nobody's yet. */
  readonly accountId: string | null;
}

/** A batch that was signed is stored as it is, however often that is tried. */
interface Batch {
  readonly orders: Order[];
  signed?: Promise<readonly OwnedReceipt[]>;
}

/** Makes receipts: each is signed once and stored as that text, at once or a little later. */
export class ReceiptOffice {
  readonly #parts: ReceiptOfficeParts;
  readonly #waiting: WriteBehind<Batch>;

  constructor(parts: ReceiptOfficeParts) {
    this.#parts = parts;
    this.#waiting = new WriteBehind<Batch>({
      begin: () => ({ orders: [] }),
      store: (batch) => this.#store(batch),
      flushMs: limits.receiptFlushMs,
      retryMsMax: limits.receiptRetryMsMax,
      waitingMax: limits.receiptsWaiting,
      giveUp: { isRefusal: (error) => !isUnavailable(error), refusalsMax: limits.requestLogRefusalsMax },
      onError: parts.onError,
      onDrop: parts.onDrop,
    });
  }

  /** Receipts that are not stored yet. */
  get waiting(): number {
    return this.#waiting.waiting;
  }

  /** Those that were lost. */
  get dropped(): number {
    return this.#waiting.dropped;
  }

  /** Resolves when it is stored, or when that failed once and is left to be tried again. */
  async make(order: Order): Promise<void> {
    try {
      await this.#store({ orders: [order] });
    } catch (cause) {
      this.#parts.onError(cause);
      this.order(order);
    }
  }

  /** For whoever doesn't wait. */
  order(order: Order): void {
    if (!this.#waiting.hasRoom()) return;
    const { orders } = this.#waiting.filling;
    this.#waiting.grown(orders.push(order));
    if (orders.length >= limits.receiptsAtOnce) this.#waiting.full();
  }

  flush(withinMs: number): Promise<boolean> {
    return this.#waiting.flush(withinMs);
  }

  drain(withinMs: number): Promise<boolean> {
    return this.#waiting.drain(withinMs);
  }

  async #store(batch: Batch): Promise<void> {
    batch.signed ??= Promise.all(batch.orders.map((order) => this.#signed(order)));
    await this.#parts.receipts.add(await batch.signed);
  }

  async #signed({ facts, accountId }: Order): Promise<OwnedReceipt> {
    const { key } = this.#parts;
    const { id, sessionRef, visibility, createdAtMs } = facts;
    const jws = await key.sign(JSON.stringify(signedFieldsOf(facts, key.id)));
    return { id, sessionRef, visibility, createdAtMs, jws, accountId };
  }
}
