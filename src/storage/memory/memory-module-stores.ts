import type {
  ModuleStore,
  ModuleStores,
  StoredEntry,
  StoredValue,
  StoreListOptions,
} from '../../kernel/ports/module-store.ts';
import type { Clock } from '../../lib/clock.ts';
import { limits } from '../limits.ts';
import {
  resolveListOptions,
  serializeEntryValue,
  storeFullError,
  validateEntryKey,
  validateEntryVersion,
  validateStoreName,
} from '../module-entry-validation.ts';

/** Module stores in memory, for tests. They behave like those in a database. */
export class MemoryModuleStores implements ModuleStores {
  readonly #clock: Clock;
  readonly #scopes = new Map<string, Map<string, MemoryModuleStore>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  store(module: string, scope: string): ModuleStore {
    const modules = this.#scopes.get(validateStoreName(scope)) ?? new Map<string, MemoryModuleStore>();
    const store = modules.get(validateStoreName(module)) ?? new MemoryModuleStore(module, this.#clock);
    this.#scopes.set(scope, modules.set(module, store));
    return store;
  }

  async forget(scope: string): Promise<void> {
    for (const store of this.#scopes.get(validateStoreName(scope))?.values() ?? []) store.clear();
  }
}

/** The value is text, so that changing a returned value does not change the stored one. */
interface SerializedEntry {
  readonly text: string;
  readonly version: number;
  readonly updatedAtMs: number;
}

class MemoryModuleStore implements ModuleStore {
  readonly #module: string;
  readonly #clock: Clock;
  readonly #entries = new Map<string, SerializedEntry>();
  /** The highest version of a deleted entry. */
  #lastVersion = 0;

  constructor(module: string, clock: Clock) {
    this.#module = module;
    this.#clock = clock;
  }

  async get(key: string): Promise<StoredValue | undefined> {
    const serializedEntry = this.#entries.get(validateEntryKey(key));
    return serializedEntry === undefined ? undefined : toValue(serializedEntry);
  }

  async put(key: string, value: unknown, version?: number): Promise<StoredValue | undefined> {
    const text = serializeEntryValue(value);
    const before = this.#entries.get(validateEntryKey(key));
    if (validateEntryVersion(version) !== undefined && version !== (before?.version ?? 0)) return undefined;
    if (before === undefined && this.#entries.size >= limits.moduleEntriesMax)
      throw storeFullError(this.#module);
    const next = (before?.version ?? this.#lastVersion) + 1;
    const entry = { text, version: next, updatedAtMs: this.#clock.now() };
    this.#entries.set(key, entry);
    return toValue(entry);
  }

  async delete(key: string): Promise<boolean> {
    const version = this.#entries.get(validateEntryKey(key))?.version ?? 0;
    this.#lastVersion = Math.max(this.#lastVersion, version);
    return this.#entries.delete(key);
  }

  async list(page: StoreListOptions = {}): Promise<readonly StoredEntry[]> {
    const { prefix, after, limit } = resolveListOptions(page);
    return [...this.#entries]
      .filter(([key]) => key.startsWith(prefix) && compareBytes(after, key) < 0)
      .sort(([one], [other]) => compareBytes(one, other))
      .slice(0, limit)
      .map(([key, serializedEntry]) => ({ key, ...toValue(serializedEntry) }));
  }

  clear(): void {
    this.#entries.clear();
  }
}

function toValue({ text, version, updatedAtMs }: SerializedEntry): StoredValue {
  return { value: JSON.parse(text), version, updatedAtMs };
}

/** JavaScript compares strings by UTF-16 code units, databases by bytes. */
function compareBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
