import { limits as kernelLimits } from '../kernel/limits.ts';
import type { OwnedReceipt, Receipts } from '../kernel/ports/receipts.ts';
import { isStorageUnavailable } from '../kernel/ports/storage-unavailable.ts';
import { WriteBehind } from '../kernel/write-behind.ts';
import { limits } from './limits.ts';
import { type ReceiptDetails, signedFieldsOf } from './receipt.ts';
import type { SigningKey } from './signing-key.ts';

export interface ReceiptIssuerParts {
  readonly receipts: Pick<Receipts, 'add'>;
  readonly key: SigningKey;
  onError(cause: unknown): void;
  onRecovered?(ms: number): void;
  /** Called when receipts are lost. */
  onDrop(): void;
}

/** A receipt to be issued, and its account. */
export interface ReceiptOrder {
  readonly details: ReceiptDetails;
  /** Null if it has no account yet. */
  readonly accountId: string | null;
}

/** Signed receipts; retries store the same text. */
interface Batch {
  readonly orders: ReceiptOrder[];
  signed?: Promise<readonly OwnedReceipt[]>;
}

/** Issues receipts: each is signed once and stored as that text, at once or a little later. */
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
        rejectionsMax: kernelLimits.requestLogRefusalsMax,
      },
      onError: parts.onError,
      onRecovered: parts.onRecovered,
      onDrop: parts.onDrop,
    });
  }

  /** The number of receipts not stored yet. */
  get waiting(): number {
    return this.#queue.waiting;
  }

  /** The number of lost receipts. */
  get dropped(): number {
    return this.#queue.dropped;
  }

  /** Resolves when it is stored, or after a first failure that will be retried. */
  async issue(receiptOrder: ReceiptOrder): Promise<void> {
    try {
      await this.#store({ orders: [receiptOrder] });
    } catch (cause) {
      this.#parts.onError(cause);
      this.order(receiptOrder);
    }
  }

  /** Issues a receipt without waiting. */
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
