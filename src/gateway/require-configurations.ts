import {
  createInstanceConfigurations,
  type InstanceConfigurations,
  type InstanceDocuments,
} from '../calls/instance-configurations.ts';
import type { Module } from '../kernel/module.ts';
import { SettingsError } from './settings.ts';

/** The configurations, aliases, rules and named pipelines of the instance. Throws a `SettingsError` with every fault. */
export function requireConfigurations(
  documents: InstanceDocuments,
  modules: ReadonlyMap<string, Module>,
): InstanceConfigurations {
  const faults: string[] = [];
  const configurations = createInstanceConfigurations(documents, modules, ({ variable, message }) =>
    faults.push(...message.split('\n').map((line) => `${variable}: ${line}`)),
  );
  if (faults.length > 0) throw new SettingsError(faults);
  return configurations;
}
