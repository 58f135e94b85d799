import type {
  KeyValueStore,
  KeyValueStores,
  StoredEntry,
  StoredValue,
  StoreListOptions,
} from '../../kernel/ports/module-store.ts';
import type { Clock } from '../../lib/clock.ts';

/** Reads from other stores, and keeps changes to itself. */
export class DryKeyValueStores implements KeyValueStores {
  readonly #stores: KeyValueStores;
  readonly #clock: Clock;
  /** By module and scope, then by key; undefined for deleted values. */
  readonly #changes = new Map<string, Map<string, StoredValue | undefined>>();

  constructor(stores: KeyValueStores, clock: Clock) {
    this.#stores = stores;
    this.#clock = clock;
  }

  store(module: string, scope: string): KeyValueStore {
    const name = `${module}\n${scope}`;
    const changes = this.#changes.get(name) ?? new Map<string, StoredValue | undefined>();
    this.#changes.set(name, changes);
    return new DryKeyValueStore(this.#stores.store(module, scope), changes, this.#clock);
  }

  async forget(): Promise<void> {}
}

class DryKeyValueStore implements KeyValueStore {
  readonly #stored: KeyValueStore;
  readonly #changes: Map<string, StoredValue | undefined>;
  readonly #clock: Clock;

  constructor(stored: KeyValueStore, changes: Map<string, StoredValue | undefined>, clock: Clock) {
    this.#stored = stored;
    this.#changes = changes;
    this.#clock = clock;
  }

  async get(key: string): Promise<StoredValue | undefined> {
    return this.#changes.has(key) ? this.#changes.get(key) : this.#stored.get(key);
  }

  async put(key: string, value: unknown, version?: number): Promise<StoredValue | undefined> {
    const current = (await this.get(key))?.version ?? 0;
    if (version !== undefined && version !== current) return undefined;
    const json: unknown = JSON.parse(JSON.stringify(value));
    const written = { value: json, version: current + 1, updatedAtMs: this.#clock.now() };
    this.#changes.set(key, written);
    return written;
  }

  async delete(key: string): Promise<boolean> {
    const isThere = (await this.get(key)) !== undefined;
    this.#changes.set(key, undefined);
    return isThere;
  }

  async list(page: StoreListOptions = {}): Promise<readonly StoredEntry[]> {
    const { prefix = '', after = '', limit } = page;
    const stored = (await this.#stored.list(page)).filter(({ key }) => !this.#changes.has(key));
    const written = [...this.#changes].flatMap(([key, value]) =>
      value !== undefined && key.startsWith(prefix) && key > after ? [{ key, ...value }] : [],
    );
    return [...stored, ...written].sort((one, other) => (one.key < other.key ? -1 : 1)).slice(0, limit);
  }
}
