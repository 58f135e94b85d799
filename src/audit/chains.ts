import type { AuditTable } from '../kernel/ports/audit.ts';
import { isStorageUnavailable } from '../kernel/ports/storage-unavailable.ts';
import { linkEntry, type PreparedEntry } from './entry.ts';
import { limits } from './limits.ts';

export interface AuditChainsParts {
  readonly table: Pick<AuditTable, 'append'>;
  /** Called for every failed attempt; it is retried. */
  onError(cause: unknown): void;
  /** Called when entries are lost. */
  onLost(count: number): void;
}

interface WaitingEntry {
  readonly entry: PreparedEntry;
  /** Called when it is stored, lost, or waits for another attempt. */
  readonly settle: () => void;
  readonly onDone: AddOptions['onDone'];
  /** Whether it may be stored already. */
  isDoubtful: boolean;
  rejections: number;
}

interface AddOptions {
  /** Whether it may be stored already. */
  readonly isDoubtful?: boolean;
  /** Called once it is stored, or lost. */
  readonly onDone?: ((isStored: boolean) => void) | undefined;
}

/** Adds entries to chains in the order in which they come. Those that come while others of the chain are stored go together. */
export class AuditChains {
  readonly #parts: AuditChainsParts;
  readonly #waiting = new Map<string, WaitingEntry[]>();
  readonly #storing = new Map<string, Promise<void>>();
  #count = 0;
  #lost = 0;
  #wake = new AbortController();

  constructor(parts: AuditChainsParts) {
    this.#parts = parts;
  }

  /** The number of entries that are not stored yet. */
  get waiting(): number {
    return this.#count;
  }

  get lost(): number {
    return this.#lost;
  }

  /** Resolves when it is stored, or after a first failure that will be retried. */
  add(chain: string, entry: PreparedEntry, { isDoubtful = false, onDone }: AddOptions = {}): Promise<void> {
    if (this.#count >= limits.entriesWaitingMax) {
      this.#lose(1);
      onDone?.(false);
      return Promise.resolve();
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    const entries = this.#waiting.get(chain) ?? [];
    entries.push({ entry, settle: resolve, onDone, isDoubtful, rejections: 0 });
    this.#waiting.set(chain, entries);
    this.#count++;
    if (!this.#storing.has(chain)) this.#storing.set(chain, this.#storeAll(chain, entries));
    return promise;
  }

  /** Stores what waits, without pauses between attempts; false if some could not be stored. */
  async drain(untilMs: number): Promise<boolean> {
    while (this.#count > 0 && performance.now() < untilMs) {
      this.#wake.abort();
      this.#wake = new AbortController();
      const left = Math.max(untilMs - performance.now(), 0);
      await Promise.race([Promise.all(this.#storing.values()), pause(Math.min(left, limits.retryMsMin))]);
    }
    return this.#count === 0;
  }

  async #storeAll(chain: string, entries: WaitingEntry[]): Promise<void> {
    for (let pauseMs: number = limits.retryMsMin; entries.length > 0; ) {
      const some = entries.slice(0, limits.entriesAtOnce);
      try {
        await this.#store(chain, some);
        this.#remove(entries, some, true);
        pauseMs = limits.retryMsMin;
      } catch (cause) {
        this.#parts.onError(cause);
        this.#noteFailure(entries, some, cause);
        await pause(pauseMs, this.#wake.signal);
        pauseMs = Math.min(pauseMs * 2, limits.retryMsMax);
      }
    }
    // At once: whoever adds the next entry must not find a round that has ended.
    this.#storing.delete(chain);
    this.#waiting.delete(chain);
  }

  #store(chain: string, some: readonly WaitingEntry[]): Promise<void> {
    const byId = new Map(some.map(({ entry }) => [entry.id, entry]));
    return this.#parts.table.append({
      chain,
      ids: [...byId.keys()],
      doubtful: new Set(some.filter(({ isDoubtful }) => isDoubtful).map(({ entry }) => entry.id)),
      link(id, end) {
        const entry = byId.get(id);
        if (entry === undefined) throw new Error('the database asked for an entry that it was not given');
        return linkEntry(entry, end);
      },
    });
  }

  #noteFailure(entries: WaitingEntry[], some: readonly WaitingEntry[], cause: unknown): void {
    for (const one of some) {
      one.isDoubtful = true;
      one.settle();
      if (!isStorageUnavailable(cause)) one.rejections++;
    }
    const rejected = some.filter(({ rejections }) => rejections >= limits.rejectionsMax);
    this.#remove(entries, rejected, false);
    if (rejected.length > 0) this.#lose(rejected.length);
  }

  #remove(entries: WaitingEntry[], done: readonly WaitingEntry[], areStored: boolean): void {
    const left = entries.filter((one) => !done.includes(one));
    entries.splice(0, entries.length, ...left);
    this.#count -= done.length;
    for (const { settle, onDone } of done) {
      onDone?.(areStored);
      settle();
    }
  }

  #lose(count: number): void {
    this.#lost += count;
    this.#parts.onLost(count);
  }
}

/** Ends early when it is woken. */
function pause(ms: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms).unref();
  signal?.addEventListener('abort', () => {
    clearTimeout(timer);
    resolve();
  });
  return promise;
}
