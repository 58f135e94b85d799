import type { Clock } from '../../kernel/clock.ts';
import { limits } from '../../kernel/limits.ts';
import type {
  ModuleStore,
  ModuleStores,
  PageOfEntries,
  StoredEntry,
  StoredValue,
} from '../../kernel/ports/module-store.ts';
import { entryKey, entryText, entryVersion, storeIsFull, storeName, wholePage } from '../module-entries.ts';

/** For tests of modules: such stores behave like those in a database, and end with the process. */
export class MemoryModuleStores implements ModuleStores {
  readonly #clock: Clock;
  readonly #scopes = new Map<string, Map<string, MemoryModuleStore>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  store(module: string, scope: string): ModuleStore {
    const modules = this.#scopes.get(storeName(scope)) ?? new Map<string, MemoryModuleStore>();
    const store = modules.get(storeName(module)) ?? new MemoryModuleStore(module, this.#clock);
    this.#scopes.set(scope, modules.set(module, store));
    return store;
  }

  async forget(scope: string): Promise<void> {
    for (const store of this.#scopes.get(storeName(scope))?.values() ?? []) store.clear();
  }
}

/** Values as text, so that who got one can't change what is stored. */
interface Kept {
  readonly text: string;
  readonly version: number;
  readonly updatedAtMs: number;
}

class MemoryModuleStore implements ModuleStore {
  readonly #module: string;
  readonly #clock: Clock;
  readonly #kept = new Map<string, Kept>();
  /** The highest of those that were deleted. */
  #lastVersion = 0;

  constructor(module: string, clock: Clock) {
    this.#module = module;
    this.#clock = clock;
  }

  async get(key: string): Promise<StoredValue | undefined> {
    const kept = this.#kept.get(entryKey(key));
    return kept === undefined ? undefined : toValue(kept);
  }

  async put(key: string, value: unknown, version?: number): Promise<StoredValue | undefined> {
    const text = entryText(value);
    const before = this.#kept.get(entryKey(key));
    if (entryVersion(version) !== undefined && version !== (before?.version ?? 0)) return undefined;
    if (before === undefined && this.#kept.size >= limits.moduleEntriesMax) throw storeIsFull(this.#module);
    const next = (before?.version ?? this.#lastVersion) + 1;
    const kept = { text, version: next, updatedAtMs: this.#clock.now() };
    this.#kept.set(key, kept);
    return toValue(kept);
  }

  async delete(key: string): Promise<boolean> {
    const version = this.#kept.get(entryKey(key))?.version ?? 0;
    this.#lastVersion = Math.max(this.#lastVersion, version);
    return this.#kept.delete(key);
  }

  async list(page: PageOfEntries = {}): Promise<readonly StoredEntry[]> {
    const { prefix, after, limit } = wholePage(page);
    return [...this.#kept]
      .filter(([key]) => key.startsWith(prefix) && inOrder(after, key) < 0)
      .sort(([one], [other]) => inOrder(one, other))
      .slice(0, limit)
      .map(([key, kept]) => ({ key, ...toValue(kept) }));
  }

  clear(): void {
    this.#kept.clear();
  }
}

function toValue({ text, version, updatedAtMs }: Kept): StoredValue {
  return { value: JSON.parse(text), version, updatedAtMs };
}

/** Strings compare by halves of characters, databases by whole ones. */
function inOrder(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
