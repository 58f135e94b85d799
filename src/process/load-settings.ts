import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { type Environment, readSettings, type Settings, SettingsError } from '../gateway/settings.ts';
import { inMemoryDataDir } from '../storage/settings.ts';

/** The environment takes precedence over `.env`. */
export function loadSettings(environment: Environment): Settings {
  return readSettings(loadEnvironment(environment));
}

/** Settings for operator commands, which share the data folder or stores with a gateway. */
export function loadCommandSettings(environment: Environment): Settings {
  const settings = loadSettings(environment);
  if (settings.stores === undefined && settings.dataDir === inMemoryDataDir)
    throw new SettingsError([
      'WEIR_DATA_DIR: commands cannot access a gateway that keeps its data in memory',
    ]);
  return settings;
}

export function loadEnvironment(environment: Environment): Environment {
  const file = existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {};
  return { ...file, ...environment };
}
