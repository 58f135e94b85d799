import type { KeyValueStore } from '../../kernel/ports/module-store.ts';
import { type RecordingMode, recordingModes } from '../../kernel/ports/recordings.ts';
import type { Versions } from '../../kernel/ports/shared-state.ts';
import { localAccountId } from '../stored-pipeline.ts';

interface LocalRecordingModeParts {
  readonly store: Pick<KeyValueStore, 'get' | 'put'>;
  readonly versions: Versions;
}

/** Which calls of a local gateway are recorded, as its user chose. Processes cache it for one version of the account. */
export class LocalRecordingMode {
  readonly #parts: LocalRecordingModeParts;
  #cached: { readonly version: string; readonly mode: RecordingMode | undefined } | undefined;

  constructor(parts: LocalRecordingModeParts) {
    this.#parts = parts;
  }

  /** Undefined if nothing was chosen. Synchronous unless it has changed. */
  current(): RecordingMode | undefined | Promise<RecordingMode | undefined> {
    const version = this.#parts.versions.of(localAccountId);
    return version === this.#cached?.version ? this.#cached.mode : this.#read(version);
  }

  /** In effect in every process once this resolves. */
  async set(mode: RecordingMode): Promise<void> {
    const { store, versions } = this.#parts;
    await store.put(storedKey, mode);
    await versions.renew(localAccountId);
  }

  async #read(version: string | Promise<string>): Promise<RecordingMode | undefined> {
    const known = await version;
    if (this.#cached?.version === known) return this.#cached.mode;
    const stored = await this.#parts.store.get(storedKey);
    const mode = recordingModes.find((one) => one === stored?.value);
    this.#cached = { version: known, mode };
    return mode;
  }
}

const storedKey = 'mode';
