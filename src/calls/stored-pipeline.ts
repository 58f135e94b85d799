import { scopeOf } from '../kernel/caller.ts';
import { parsePipelineList } from '../kernel/pipeline-list.ts';
import type { KeyValueStores } from '../kernel/ports/module-store.ts';
import type { Versions } from '../kernel/ports/shared-state.ts';
import type { Clock } from '../lib/clock.ts';
import { isJsonObject } from '../lib/json.ts';

interface StoredPipelineParts {
  readonly stores: KeyValueStores;
  readonly versions: Versions;
  readonly clock: Clock;
}

/** The stored list, with the times since which its modules are in it. */
export interface StoredList {
  readonly text: string;
  readonly updatedAtMs: number;
  readonly sinceMs: Readonly<Record<string, number>>;
}

interface CachedList {
  readonly version: string;
  readonly list: StoredList | undefined;
}

/** The account of local mode, and the key that the list is stored under. */
export const localAccountId = 'local';
const storeKey = 'gateway';

/**
 * The pipeline of a local gateway that its user has stored: it takes the place of the built-in default. Calls read it from memory,
 * for one version of the account.
 */
export class StoredPipeline {
  readonly #parts: StoredPipelineParts;
  #cached: CachedList | undefined;

  constructor(parts: StoredPipelineParts) {
    this.#parts = parts;
  }

  /** Synchronous unless it has changed. */
  current(): StoredList | undefined | Promise<StoredList | undefined> {
    const version = this.#parts.versions.of(localAccountId);
    if (typeof version !== 'string') return version.then((known) => this.#at(known));
    return this.#at(version);
  }

  /** In use in every process once this resolves. Modules that stay in the list keep their time. */
  async put(text: string): Promise<StoredList> {
    const nowMs = this.#parts.clock.now();
    const before = (await this.current())?.sinceMs ?? {};
    const names = parsePipelineList(text).map(({ name }) => name);
    const sinceMs = Object.fromEntries(names.map((name) => [name, before[name] ?? nowMs]));
    const list: StoredList = { text, updatedAtMs: nowMs, sinceMs };
    await this.#store.put(storeKey, list);
    await this.#parts.versions.renew(localAccountId);
    return list;
  }

  /** False if there was none. */
  async delete(): Promise<boolean> {
    const isDeleted = await this.#store.delete(storeKey);
    await this.#parts.versions.renew(localAccountId);
    return isDeleted;
  }

  get #store() {
    return this.#parts.stores.store('stored-pipeline', scopeOf({ kind: 'local' }));
  }

  #at(version: string): StoredList | undefined | Promise<StoredList | undefined> {
    return this.#cached?.version === version ? this.#cached.list : this.#read(version);
  }

  async #read(version: string): Promise<StoredList | undefined> {
    const list = parse((await this.#store.get(storeKey))?.value);
    if ((await this.#parts.versions.of(localAccountId)) === version) this.#cached = { version, list };
    return list;
  }
}

function parse(value: unknown): StoredList | undefined {
  if (!isJsonObject(value)) return undefined;
  const { text, updatedAtMs, sinceMs } = value;
  if (typeof text !== 'string' || typeof updatedAtMs !== 'number') return undefined;
  const times = Object.entries(isJsonObject(sinceMs) ? sinceMs : {});
  return {
    text,
    updatedAtMs,
    sinceMs: Object.fromEntries(times.flatMap(([name, ms]) => (typeof ms === 'number' ? [[name, ms]] : []))),
  };
}
