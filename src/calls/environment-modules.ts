import { type ModulesSince, modulesSince, parseModulesSince } from '../kernel/modules-since.ts';
import type { KeyValueStores } from '../kernel/ports/module-store.ts';
import type { Clock } from '../lib/clock.ts';
import { localAccountId } from './local-setting.ts';

interface EnvironmentModulesParts {
  readonly stores: KeyValueStores;
  readonly clock: Clock;
  /** `WEIR_PIPELINE`. */
  readonly text: string | undefined;
  onError(error: unknown): void;
}

/** Notes at the start since when gateways on this database have had the modules of `WEIR_PIPELINE`. */
export class EnvironmentModules {
  /** Empty without the variable, and if the times can't be stored. */
  readonly since: Promise<ModulesSince>;

  constructor(parts: EnvironmentModulesParts) {
    this.since = noteModules(parts).catch((error) => {
      parts.onError(error);
      return {};
    });
  }
}

/** Stores what has changed since the last start. */
async function noteModules({ stores, clock, text = '' }: EnvironmentModulesParts): Promise<ModulesSince> {
  const store = stores.store('environment-pipeline', localAccountId);
  const before = parseModulesSince((await store.get('since'))?.value);
  const since = modulesSince(text, before, clock.now());
  if (JSON.stringify(since) !== JSON.stringify(before)) await store.put('since', since);
  return since;
}
