import { limits } from '../kernel/limits.ts';
import { Lru } from '../kernel/lru.ts';
import type { Versions } from '../kernel/ports/shared-state.ts';
import type { MemoryQuestions } from './memory-questions.ts';
import type { Peer } from './peer.ts';

type Primary = Pick<Peer<object, MemoryQuestions>, 'ask' | 'askWithin' | 'hasEnded'>;

/**
 * Versions of accounts in another process. To ask for one with each call would cost a fifth of the call, so they are kept
 * here: a renewal is confirmed when every process has said that it has forgotten what it had.
 */
export class RemoteVersions implements Versions {
  readonly #peer: Primary;
  /** Or the question that is on its way: what is forgotten meanwhile is not kept when the answer comes. */
  readonly #known = new Lru<string | Promise<string>>(limits.knownVersionsMax);

  constructor(peer: Primary) {
    this.#peer = peer;
  }

  of(accountId: string): string | Promise<string> {
    // Nobody would tell of a renewal any more.
    const known = this.#peer.hasEnded ? undefined : this.#known.get(accountId);
    return known ?? this.#asked(accountId);
  }

  async renew(accountId: string): Promise<void> {
    await this.#peer.askWithin(limits.renewalHeardMs + limits.workerAnswerMs, 'renew', accountId);
  }

  forget(accountId: string): void {
    this.#known.delete(accountId);
  }

  /** Something else was answered under this version. It is not kept: it may be older than a renewal that came with it. */
  heard(accountId: string, version: string): void {
    const known = this.#known.get(accountId);
    if (known !== undefined && known !== version) this.forget(accountId);
  }

  #asked(accountId: string): Promise<string> {
    const asked = this.#peer.ask('version', accountId);
    this.#known.set(accountId, asked);
    const isCurrent = () => this.#known.get(accountId) === asked;
    asked.then(
      (version) => isCurrent() && this.#known.set(accountId, version),
      () => isCurrent() && this.forget(accountId),
    );
    return asked;
  }
}
