import type { KeyValueStore } from '../kernel/ports/module-store.ts';
import type { Versions } from '../kernel/ports/shared-state.ts';

/** The account of local mode. */
export const localAccountId = 'local';

interface LocalSettingParts<Value> {
  readonly store: Pick<KeyValueStore, 'get' | 'put' | 'delete'>;
  readonly key: string;
  readonly versions: Versions;
  /** Undefined for what no version of the gateway stores. */
  parse(stored: unknown): Value | undefined;
}

/** A setting that the user of a local gateway has stored. Processes cache it for one version of the account. */
export class LocalSetting<Value> {
  readonly #parts: LocalSettingParts<Value>;
  #cached: { readonly version: string; readonly value: Value | undefined } | undefined;

  constructor(parts: LocalSettingParts<Value>) {
    this.#parts = parts;
  }

  /** Undefined if nothing is stored. Synchronous unless it has changed. */
  current(): Value | undefined | Promise<Value | undefined> {
    const version = this.#parts.versions.of(localAccountId);
    return version === this.#cached?.version ? this.#cached.value : this.#read(version);
  }

  /** In effect in every process once this resolves. */
  async put(value: Value): Promise<void> {
    const { store, key, versions } = this.#parts;
    await store.put(key, value);
    await versions.renew(localAccountId);
  }

  /** False if there was none. */
  async delete(): Promise<boolean> {
    const { store, key, versions } = this.#parts;
    const isDeleted = await store.delete(key);
    await versions.renew(localAccountId);
    return isDeleted;
  }

  async #read(version: string | Promise<string>): Promise<Value | undefined> {
    const { store, key, parse } = this.#parts;
    const known = await version;
    if (this.#cached?.version === known) return this.#cached.value;
    const value = parse((await store.get(key))?.value);
    this.#cached = { version: known, value };
    return value;
  }
}
