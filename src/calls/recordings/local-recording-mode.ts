import type { KeyValueStore } from '../../kernel/ports/module-store.ts';
import { type RecordingMode, recordingModes } from '../../kernel/ports/recordings.ts';
import type { Versions } from '../../kernel/ports/shared-state.ts';

interface LocalRecordingModeParts {
  readonly store: Pick<KeyValueStore, 'get' | 'put'>;
  readonly versions: Versions;
}

/** Which calls of a local gateway are recorded, as its user chose. Processes cache it for one version of the account. */
export class LocalRecordingMode {
  readonly #parts: LocalRecordingModeParts;
  #cached: { readonly version: string; readonly mode: RecordingMode } | undefined;

  constructor(parts: LocalRecordingModeParts) {
    this.#parts = parts;
  }

  current(): RecordingMode | Promise<RecordingMode> {
    const version = this.#parts.versions.of(localAccount);
    return version === this.#cached?.version ? this.#cached.mode : this.#read(version);
  }

  /** In effect in every process once this resolves. */
  async set(mode: RecordingMode): Promise<void> {
    const { store, versions } = this.#parts;
    await store.put(storedKey, mode);
    await versions.renew(localAccount);
  }

  async #read(version: string | Promise<string>): Promise<RecordingMode> {
    const known = await version;
    if (this.#cached?.version === known) return this.#cached.mode;
    const stored = await this.#parts.store.get(storedKey);
    const mode = recordingModes.find((one) => one === stored?.value) ?? 'off';
    this.#cached = { version: known, mode };
    return mode;
  }
}

const localAccount = 'local';
const storedKey = 'mode';
