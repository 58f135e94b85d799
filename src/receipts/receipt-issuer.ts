import { limits } from '../kernel/limits.ts';
import type { OwnedReceipt, Receipts } from '../kernel/ports/receipts.ts';
import { isStorageUnavailable } from '../kernel/ports/storage-unavailable.ts';
import { WriteBehind } from '../kernel/write-behind.ts';
import { type ReceiptDetails, signedFieldsOf } from './receipt.ts';
import type { SigningKey } from './signing-key.ts';

export interface ReceiptIssuerParts {
  readonly receipts: Pick<Receipts, 'add'>;
  readonly key: SigningKey;
  onError(cause: unknown): void;
  /** Told when receipts are lost. */
  onDrop(): void;
}

/** A receipt that is to be made, and whose it is. */
export interface ReceiptOrder {
  readonly details: ReceiptDetails;
  /** Null where it is nobody's yet. */
  readonly accountId: string | null;
}

/** A batch that was signed is stored as it is, however often that is tried. */
interface Batch {
  readonly orders: ReceiptOrder[];
  signed?: Promise<readonly OwnedReceipt[]>;
}

/** Makes receipts: each is signed once and stored as that text, at once or a little later. */
export class ReceiptIssuer {
  readonly #parts: ReceiptIssuerParts;
  readonly #queue: WriteBehind<Batch>;

  constructor(parts: ReceiptIssuerParts) {
    this.#parts = parts;
    this.#queue = new WriteBehind<Batch>({
      createBatch: () => ({ orders: [] }),
      store: (batch) => this.#store(batch),
      flushMs: limits.receiptFlushMs,
      retryMsMax: limits.receiptRetryMsMax,
      waitingMax: limits.receiptsWaiting,
      giveUp: {
        isRejection: (error) => !isStorageUnavailable(error),
        rejectionsMax: limits.requestLogRefusalsMax,
      },
      onError: parts.onError,
      onDrop: parts.onDrop,
    });
  }

  /** Receipts that are not stored yet. */
  get waiting(): number {
    return this.#queue.waiting;
  }

  /** Those that were lost. */
  get dropped(): number {
    return this.#queue.dropped;
  }

  /** Resolves when it is stored, or when that failed once and is left to be tried again. */
  async issue(receiptOrder: ReceiptOrder): Promise<void> {
    try {
      await this.#store({ orders: [receiptOrder] });
    } catch (cause) {
      this.#parts.onError(cause);
      this.order(receiptOrder);
    }
  }

  /** For whoever doesn't wait. */
  order(receiptOrder: ReceiptOrder): void {
    if (!this.#queue.hasRoom()) return;
    const { orders } = this.#queue.filling;
    this.#queue.setSize(orders.push(receiptOrder));
    if (orders.length >= limits.receiptsAtOnce) this.#queue.sealAndStore();
  }

  flush(withinMs: number): Promise<boolean> {
    return this.#queue.flush(withinMs);
  }

  drain(withinMs: number): Promise<boolean> {
    return this.#queue.drain(withinMs);
  }

  async #store(batch: Batch): Promise<void> {
    batch.signed ??= Promise.all(batch.orders.map((receiptOrder) => this.#sign(receiptOrder)));
    await this.#parts.receipts.add(await batch.signed);
  }

  async #sign({ details, accountId }: ReceiptOrder): Promise<OwnedReceipt> {
    const { key } = this.#parts;
    const { id, sessionRef, visibility, createdAtMs } = details;
    const jws = await key.sign(JSON.stringify(signedFieldsOf(details, key.id)));
    return { id, sessionRef, visibility, createdAtMs, jws, accountId };
  }
}
