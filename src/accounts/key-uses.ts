import type { ApiKeys } from '../kernel/ports/records.ts';
import { WriteBehind } from '../kernel/write-behind.ts';
import type { Clock } from '../lib/clock.ts';
import { limits } from './limits.ts';

export interface KeyUsesParts {
  readonly apiKeys: Pick<ApiKeys, 'touch'>;
  readonly clock: Clock;
  /** Called when uses could not be stored; they are retried later. */
  onFailure(cause: unknown): void;
}

/** Records when keys were last used: in memory with every call, in the database in batches every few seconds. */
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

  /** Uses not stored yet. Read this before the stored times, so that no use is missed. */
  pending(): (keyId: string) => number | undefined {
    const { batches } = this.#uses;
    return (keyId) => batches.find((uses) => uses.has(keyId))?.get(keyId);
  }

  /** Stores all recorded uses. */
  async flush(): Promise<void> {
    const causes: unknown[] = [];
    await this.#uses.storeOnce((cause) => causes.push(cause));
    for (const cause of causes) throw cause;
  }

  async close(): Promise<void> {
    await this.#uses.storeOnce();
    this.#uses.cancelTimer();
  }

  /** Keeps the later use if a key was used again after storing failed. */
  #withoutNewerUses(uses: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
    const later = this.#uses.filling;
    return new Map([...uses].filter(([keyId]) => !later.has(keyId)));
  }
}
