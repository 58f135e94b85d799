import { GatewayError } from '../kernel/errors.ts';
import { limits } from '../kernel/limits.ts';
import type { CacheBackend, ScopedCache } from '../kernel/ports/scoped-cache.ts';
import type { RpcPeer } from './rpc-peer.ts';
import type { CacheEntryAddress, StoreMethods } from './store-methods.ts';

/** The way to the process that has the memory. */
export type StoreRpc = Pick<RpcPeer<object, StoreMethods>, 'invoke'>;

/** Shelves in another process. A shelf is a cache: while nobody answers it is empty, and nothing is kept. */
export class RemoteCacheBackend implements CacheBackend {
  readonly #rpc: StoreRpc;
  readonly #backend: CacheEntryAddress['backend'];
  #pendingBytes = 0;

  constructor(peer: StoreRpc, which: CacheEntryAddress['backend']) {
    this.#rpc = peer;
    this.#backend = which;
  }

  /** Bytes that are on their way. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  async clear(scope: string): Promise<void> {
    await this.#rpc.invoke('clearCache', { backend: this.#backend, scope });
  }

  cacheFor(scope: string): ScopedCache {
    const place = (key: string): CacheEntryAddress => ({ backend: this.#backend, scope, key });
    return {
      get: (key) => undefinedIfUnavailable(this.#rpc.invoke('get', place(key))),
      put: (key, value, ttlSeconds) => this.#put(place(key), value, ttlSeconds),
      // Not having forgotten is no miss: this one fails.
      delete: (key) => this.#rpc.invoke('delete', place(key)),
    };
  }

  async #put(place: CacheEntryAddress, value: Uint8Array, ttlSeconds: number): Promise<void> {
    const { byteLength } = value;
    if (
      byteLength > limits.cacheValueBytesMax ||
      this.#pendingBytes + byteLength > limits.cachePendingBytesMax
    ) {
      // What can't be kept must not leave an older value in its place.
      await undefinedIfUnavailable(this.#rpc.invoke('delete', place));
      return;
    }
    this.#pendingBytes += byteLength;
    await undefinedIfUnavailable(this.#rpc.invoke('put', place, value, ttlSeconds));
    this.#pendingBytes -= byteLength;
  }
}

async function undefinedIfUnavailable<Value>(answer: Promise<Value>): Promise<Value | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (GatewayError.is(error)) return undefined;
    throw error;
  }
}
