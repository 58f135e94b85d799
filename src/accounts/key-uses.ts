import type { Clock } from '../kernel/clock.ts';
import { limits } from '../kernel/limits.ts';
import type { ApiKeys } from '../kernel/ports/records.ts';

export interface KeyUsesParts {
  readonly apiKeys: Pick<ApiKeys, 'touch'>;
  readonly clock: Clock;
  /** Told when uses could not be stored; they are kept and stored later. */
  onFailure(cause: unknown): void;
}

/** When keys were last used: noted in memory with every call, stored for all of them at once every few seconds. */
export class KeyUses {
  readonly #parts: KeyUsesParts;
  #pending = new Map<string, number>();
  #storing: ReadonlyMap<string, number> = new Map();
  #stored: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: KeyUsesParts) {
    this.#parts = parts;
  }

  note(keyId: string): void {
    if (this.#pending.size >= limits.keyUsesMax && !this.#pending.has(keyId)) return;
    this.#pending.set(keyId, this.#parts.clock.now());
    this.#timer ??= setTimeout(() => void this.#flushInTime(), limits.keyUsesFlushMs).unref();
  }

  /** What is not stored yet. To be taken before the stored times are read, so that nothing falls between the two. */
  pending(): (keyId: string) => number | undefined {
    const [pending, storing] = [this.#pending, this.#storing];
    return (keyId) => pending.get(keyId) ?? storing.get(keyId);
  }

  /** Stores what was noted so far; one at a time, since a later time must not be overtaken by its failure. */
  flush(): Promise<void> {
    const flushed = this.#stored.then(() => this.#store());
    this.#stored = flushed.catch(() => undefined);
    return flushed;
  }

  async close(): Promise<void> {
    await this.#flushInTime();
    clearTimeout(this.#timer);
  }

  async #flushInTime(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    try {
      await this.flush();
    } catch (cause) {
      this.#parts.onFailure(cause);
    }
  }

  async #store(): Promise<void> {
    const uses = this.#pending;
    if (uses.size === 0) return;
    this.#pending = new Map();
    this.#storing = uses;
    try {
      await this.#parts.apiKeys.touch(uses);
    } catch (cause) {
      this.#keep(uses);
      throw cause;
    } finally {
      this.#storing = new Map();
    }
  }

  #keep(uses: ReadonlyMap<string, number>): void {
    this.#pending = new Map([...uses, ...this.#pending]);
    this.#timer ??= setTimeout(() => void this.#flushInTime(), limits.keyUsesFlushMs).unref();
  }
}
