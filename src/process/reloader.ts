import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { SettingsError, settingPlaces } from '../gateway/settings.ts';
import type { ReloadResult, SettingsChange } from '../kernel/ports/reload.ts';
import type { Log } from '../telemetry/log.ts';
import { explainError } from './explain-error.ts';
import { limits } from './limits.ts';
import type { LoadedSettings } from './load-settings.ts';
import { watchFiles } from './watch-files.ts';

interface ReloaderParts {
  readonly loaded: LoadedSettings;
  readonly log: Pick<Log, 'info' | 'error'>;
  /** Reads all settings again. */
  load(): Promise<LoadedSettings>;
  /** Serves new calls with them; if it rejects, nothing has changed. */
  apply(loaded: LoadedSettings, change: SettingsChange): Promise<void>;
  /** Before another try, after a failure that is no fault of the settings. */
  readonly pauseMs?: number;
}

/** Reads the settings again and applies them, one time after the other. */
export class Reloader {
  readonly #parts: ReloaderParts;
  #loaded: LoadedSettings;
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: ReloaderParts) {
    this.#parts = parts;
    this.#loaded = parts.loaded;
  }

  get loaded(): LoadedSettings {
    return this.#loaded;
  }

  /** Rejects with a `SettingsError` that has every fault. */
  reload(trigger: SettingsChange['trigger']): Promise<ReloadResult> {
    const reloading = this.#last.then(() => this.#reload(trigger));
    this.#last = reloading.catch(() => undefined);
    return reloading;
  }

  async #reload(trigger: SettingsChange['trigger']): Promise<ReloadResult> {
    const { log } = this.#parts;
    const startedAtMs = performance.now();
    try {
      const changed = await this.#applyWithRetries(trigger);
      const version = this.#loaded.settings.configurationVersion;
      const ms = Math.round(performance.now() - startedAtMs);
      log.info({ trigger, version, changed, ms }, 'the configuration was reloaded');
      return { version, changed };
    } catch (thrown) {
      const faults = explainError(thrown).split('\nweir: ');
      log.error({ trigger, faults }, 'the configuration was not reloaded, and nothing has changed');
      throw new SettingsError(faults);
    }
  }

  /** A busy database or the like passes, and nobody changes the file again because of it. */
  async #applyWithRetries(trigger: SettingsChange['trigger']): Promise<readonly string[]> {
    const { pauseMs = limits.reloadPauseMs } = this.#parts;
    for (let tries = 1; ; tries++)
      try {
        return await this.#apply(trigger);
      } catch (thrown) {
        if (thrown instanceof SettingsError || tries === limits.reloadTries) throw thrown;
        await sleep(pauseMs * tries);
      }
  }

  async #apply(trigger: SettingsChange['trigger']): Promise<readonly string[]> {
    const before = this.#loaded;
    const loaded = await this.#parts.load();
    const changed = changedSettings(before.environment, loaded.environment);
    try {
      await this.#parts.apply(loaded, { id: randomUUID(), trigger, changed });
    } catch (thrown) {
      if (!(thrown instanceof SettingsError)) throw thrown;
      throw new SettingsError(thrown.faults.map((fault) => loaded.locate(fault)));
    }
    this.#loaded = loaded;
    return changed;
  }
}

/** Reloads when the configuration file, or a file that it names, has changed; undefined without a file. */
export function watchConfiguration(reloader: Reloader, onChange: () => void): { close(): void } | undefined {
  const { file } = reloader.loaded;
  return file && watchFiles(() => (reloader.loaded.file ?? file).digests, onChange);
}

/** The names of settings with another value, as in the file if they have a place there. */
function changedSettings(
  before: LoadedSettings['environment'],
  after: LoadedSettings['environment'],
): readonly string[] {
  const places = new Map(settingPlaces.map(({ variable, at }) => [variable, at]));
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names]
    .filter((name) => before[name] !== after[name])
    .map((name) => places.get(name) ?? name)
    .toSorted();
}
