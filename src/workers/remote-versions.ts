import { limits } from '../kernel/limits.ts';
import { Lru } from '../kernel/lru.ts';
import type { Versions } from '../kernel/ports/shared-state.ts';
import type { RpcPeer } from './rpc-peer.ts';
import type { StoreMethods } from './store-methods.ts';

type PrimaryRpc = Pick<RpcPeer<object, StoreMethods>, 'invoke' | 'invokeWithTimeout' | 'hasEnded'>;

/**
 * Versions of accounts in another process. To ask for one with each call would cost a fifth of the call, so they are kept
 * here: a renewal is confirmed when every process has said that it has forgotten what it had.
 */
export class RemoteVersions implements Versions {
  readonly #peer: PrimaryRpc;
  /** Or the question that is on its way: what is forgotten meanwhile is not kept when the answer comes. */
  readonly #cache = new Lru<string | Promise<string>>(limits.cachedVersionsMax);

  constructor(peer: PrimaryRpc) {
    this.#peer = peer;
  }

  of(accountId: string): string | Promise<string> {
    // Nobody would tell of a renewal any more.
    const known = this.#peer.hasEnded ? undefined : this.#cache.get(accountId);
    return known ?? this.#fetch(accountId);
  }

  async renew(accountId: string): Promise<void> {
    await this.#peer.invokeWithTimeout(limits.renewalAckMs + limits.workerAnswerMs, 'renew', accountId);
  }

  forget(accountId: string): void {
    this.#cache.delete(accountId);
  }

  /** Something else was answered under this version. It is not kept: it may be older than a renewal that came with it. */
  onVersionSeen(accountId: string, version: string): void {
    const known = this.#cache.get(accountId);
    if (known !== undefined && known !== version) this.forget(accountId);
  }

  #fetch(accountId: string): Promise<string> {
    const asked = this.#peer.invoke('version', accountId);
    this.#cache.set(accountId, asked);
    const isCurrent = () => this.#cache.get(accountId) === asked;
    asked.then(
      (version) => isCurrent() && this.#cache.set(accountId, version),
      () => isCurrent() && this.forget(accountId),
    );
    return asked;
  }
}
