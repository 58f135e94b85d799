import type { Clock } from '../kernel/clock.ts';
import { limits } from '../kernel/limits.ts';
import type { ApiKeys } from '../kernel/ports/records.ts';
import { WriteBehind } from '../kernel/write-behind.ts';

export interface KeyUsesParts {
  readonly apiKeys: Pick<ApiKeys, 'touch'>;
  readonly clock: Clock;
  /** Told when uses could not be stored; they are kept and stored later. */
  onFailure(cause: unknown): void;
}

/** When keys were last used: noted in memory with every call, stored for all of them at once every few seconds. */
export class KeyUses {
  readonly #clock: Clock;
  readonly #uses: WriteBehind<Map<string, number>>;

  constructor({ apiKeys, clock, onFailure }: KeyUsesParts) {
    this.#clock = clock;
    this.#uses = new WriteBehind({
      createBatch: () => new Map<string, number>(),
      store: (uses) => apiKeys.touch(this.#withoutNewerUses(uses)),
      flushMs: limits.keyUsesFlushMs,
      retryMsMax: limits.keyUsesFlushMs,
      onError: onFailure,
    });
  }

  note(keyId: string): void {
    const uses = this.#uses.filling;
    if (uses.size >= limits.keyUsesMax && !uses.has(keyId)) return;
    uses.set(keyId, this.#clock.now());
    this.#uses.setSize(uses.size);
  }

  /** What is not stored yet. To be taken before the stored times are read, so that nothing falls between the two. */
  pending(): (keyId: string) => number | undefined {
    const { batches } = this.#uses;
    return (keyId) => batches.find((uses) => uses.has(keyId))?.get(keyId);
  }

  /** Stores what was noted so far. */
  async flush(): Promise<void> {
    const causes: unknown[] = [];
    await this.#uses.storeOnce((cause) => causes.push(cause));
    for (const cause of causes) throw cause;
  }

  async close(): Promise<void> {
    await this.#uses.storeOnce();
    this.#uses.cancelTimer();
  }

  /** A key that was used again while its use could not be stored is stored with the later one. */
  #withoutNewerUses(uses: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
    const later = this.#uses.filling;
    return new Map([...uses].filter(([keyId]) => !later.has(keyId)));
  }
}
