import { type ModulesSince, modulesSince, parseModulesSince } from '../kernel/modules-since.ts';
import type { KeyValueStores } from '../kernel/ports/module-store.ts';
import type { Versions } from '../kernel/ports/shared-state.ts';
import type { Clock } from '../lib/clock.ts';
import { isJsonObject } from '../lib/json.ts';
import { LocalSetting, localAccountId } from './local-setting.ts';

interface StoredPipelineParts {
  readonly stores: KeyValueStores;
  readonly versions: Versions;
  readonly clock: Clock;
}

/** The stored list, with the times since which its modules are in it. */
export interface StoredList {
  readonly text: string;
  readonly updatedAtMs: number;
  readonly sinceMs: ModulesSince;
}

/** The pipeline of a local gateway that its user has stored: it takes the place of the built-in default. */
export class StoredPipeline {
  readonly #clock: Clock;
  readonly #setting: LocalSetting<StoredList>;

  constructor({ stores, versions, clock }: StoredPipelineParts) {
    this.#clock = clock;
    const store = stores.store('stored-pipeline', localAccountId);
    this.#setting = new LocalSetting({ store, key: 'gateway', versions, parse });
  }

  /** Synchronous unless it has changed. */
  current(): StoredList | undefined | Promise<StoredList | undefined> {
    return this.#setting.current();
  }

  /** In use in every process once this resolves. Modules that stay in the list keep their time. */
  async put(text: string): Promise<StoredList> {
    const nowMs = this.#clock.now();
    const before = (await this.current())?.sinceMs ?? {};
    const list: StoredList = { text, updatedAtMs: nowMs, sinceMs: modulesSince(text, before, nowMs) };
    await this.#setting.put(list);
    return list;
  }

  /** False if there was none. */
  delete(): Promise<boolean> {
    return this.#setting.delete();
  }
}

function parse(value: unknown): StoredList | undefined {
  if (!isJsonObject(value)) return undefined;
  const { text, updatedAtMs, sinceMs } = value;
  if (typeof text !== 'string' || typeof updatedAtMs !== 'number') return undefined;
  return { text, updatedAtMs, sinceMs: parseModulesSince(sinceMs) };
}
