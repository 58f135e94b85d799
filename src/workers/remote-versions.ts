import type { Versions } from '../kernel/ports/shared-state.ts';
import { Lru } from '../lib/lru.ts';
import { limits } from './limits.ts';
import type { RpcPeer } from './rpc-peer.ts';
import type { StoreMethods } from './store-methods.ts';

type PrimaryRpc = Pick<RpcPeer<object, StoreMethods>, 'invoke' | 'invokeWithTimeout' | 'hasEnded'>;

/**
 * Account versions in the primary process, cached here, since an RPC per call would cost a fifth of the call. A renewal
 * is confirmed once every process has dropped its cached version.
 */
export class RemoteVersions implements Versions {
  readonly #peer: PrimaryRpc;
  /** Versions or pending requests; an answer is not cached if its entry was dropped meanwhile. */
  readonly #cache = new Lru<string | Promise<string>>(limits.cachedVersionsMax);

  constructor(peer: PrimaryRpc) {
    this.#peer = peer;
  }

  of(accountId: string): string | Promise<string> {
    // Without the connection, renewals would be missed.
    const cached = this.#peer.hasEnded ? undefined : this.#cache.get(accountId);
    return cached ?? this.#fetch(accountId);
  }

  async renew(accountId: string): Promise<void> {
    await this.#peer.invokeWithTimeout(limits.renewalAckMs + limits.workerAnswerMs, 'renew', accountId);
  }

  forget(accountId: string): void {
    this.#cache.delete(accountId);
  }

  /** Drops a cached version that differs. Does not cache the new one, which may predate a renewal. */
  onVersionSeen(accountId: string, version: string): void {
    const cached = this.#cache.get(accountId);
    if (cached !== undefined && cached !== version) this.forget(accountId);
  }

  #fetch(accountId: string): Promise<string> {
    const pending = this.#peer.invoke('version', accountId);
    this.#cache.set(accountId, pending);
    const isCurrent = () => this.#cache.get(accountId) === pending;
    pending.then(
      (version) => isCurrent() && this.#cache.set(accountId, version),
      () => isCurrent() && this.forget(accountId),
    );
    return pending;
  }
}
