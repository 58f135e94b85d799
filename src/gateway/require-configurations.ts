import { createInstanceConfigurations } from '../calls/instance-configurations.ts';
import type { ListedConfigurations } from '../kernel/configuration.ts';
import type { Module } from '../kernel/module.ts';
import { type Settings, SettingsError } from './settings.ts';

/** The configurations of the instance. Throws a `SettingsError` with every fault. */
export function requireConfigurations(
  { configurations = {} }: Pick<Settings, 'configurations'>,
  modules: ReadonlyMap<string, Module>,
): ListedConfigurations {
  try {
    return createInstanceConfigurations(configurations, modules);
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown;
    throw new SettingsError(thrown.message.split('\n').map((fault) => `WEIR_CONFIGURATIONS: ${fault}`));
  }
}
