import { GatewayError } from '../kernel/errors.ts';
import type { CacheBackend, ScopedCache } from '../kernel/ports/scoped-cache.ts';
import { limits } from '../storage/limits.ts';
import type { RpcPeer } from './rpc-peer.ts';
import type { CacheEntryAddress, StoreMethods } from './store-methods.ts';

/** RPC to the primary process. */
export type StoreRpc = Pick<RpcPeer<object, StoreMethods>, 'invoke'>;

/** Caches in the primary process. While it does not respond, reads miss and writes are dropped. */
export class RemoteCacheBackend implements CacheBackend {
  readonly #rpc: StoreRpc;
  readonly #backend: CacheEntryAddress['backend'];
  #pendingBytes = 0;

  constructor(peer: StoreRpc, backend: CacheEntryAddress['backend']) {
    this.#rpc = peer;
    this.#backend = backend;
  }

  /** Bytes being sent. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  async clear(scope: string): Promise<void> {
    await this.#rpc.invoke('clearCache', { backend: this.#backend, scope });
  }

  cacheFor(scope: string): ScopedCache {
    const addressOf = (key: string): CacheEntryAddress => ({ backend: this.#backend, scope, key });
    return {
      get: (key) => undefinedIfUnavailable(this.#rpc.invoke('get', addressOf(key))),
      put: (key, value, ttlSeconds) => this.#put(addressOf(key), value, ttlSeconds),
      // A failed delete must not go unnoticed, so this one rejects.
      delete: (key) => this.#rpc.invoke('delete', addressOf(key)),
    };
  }

  async #put(address: CacheEntryAddress, value: Uint8Array, ttlSeconds: number): Promise<void> {
    const { byteLength } = value;
    if (
      byteLength > limits.cacheValueBytesMax ||
      this.#pendingBytes + byteLength > limits.cachePendingBytesMax
    ) {
      // A value that cannot be stored must not leave an older one in the cache.
      await undefinedIfUnavailable(this.#rpc.invoke('delete', address));
      return;
    }
    this.#pendingBytes += byteLength;
    await undefinedIfUnavailable(this.#rpc.invoke('put', address, value, ttlSeconds));
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
