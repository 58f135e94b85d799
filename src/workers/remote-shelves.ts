import { GatewayError } from '../kernel/errors.ts';
import { limits } from '../kernel/limits.ts';
import type { Shelf, Shelves } from '../kernel/ports/shelves.ts';
import type { MemoryQuestions, ShelfPlace } from './memory-questions.ts';
import type { Peer } from './peer.ts';

/** The way to the process that has the memory. */
export type Asking = Pick<Peer<object, MemoryQuestions>, 'ask'>;

/** Shelves in another process. A shelf is a cache: while nobody answers it is empty, and nothing is kept. */
export class RemoteShelves implements Shelves {
  readonly #peer: Asking;
  readonly #which: ShelfPlace['shelves'];
  #pendingBytes = 0;

  constructor(peer: Asking, which: ShelfPlace['shelves']) {
    this.#peer = peer;
    this.#which = which;
  }

  /** Bytes that are on their way. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  async forget(scope: string): Promise<void> {
    await this.#peer.ask('forgetShelf', { shelves: this.#which, scope });
  }

  shelf(scope: string): Shelf {
    const place = (key: string): ShelfPlace => ({ shelves: this.#which, scope, key });
    return {
      get: (key) => unlessAway(this.#peer.ask('get', place(key))),
      put: (key, value, ttlSeconds) => this.#put(place(key), value, ttlSeconds),
      // Not having forgotten is no miss: this one fails.
      delete: (key) => this.#peer.ask('delete', place(key)),
    };
  }

  async #put(place: ShelfPlace, value: Uint8Array, ttlSeconds: number): Promise<void> {
    const { byteLength } = value;
    if (
      byteLength > limits.shelfValueBytesMax ||
      this.#pendingBytes + byteLength > limits.shelfPendingBytesMax
    ) {
      // What can't be kept must not leave an older value in its place.
      await unlessAway(this.#peer.ask('delete', place));
      return;
    }
    this.#pendingBytes += byteLength;
    await unlessAway(this.#peer.ask('put', place, value, ttlSeconds));
    this.#pendingBytes -= byteLength;
  }
}

async function unlessAway<Value>(answer: Promise<Value>): Promise<Value | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (GatewayError.is(error)) return undefined;
    throw error;
  }
}
