import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { type Environment, readSettings, type Settings, SettingsError } from '../gateway/settings.ts';
import { inMemoryDataDir } from '../storage/settings.ts';

/** What the environment says wins over the file. */
export function loadSettings(environment: Environment): Settings {
  return readSettings(loadEnvironment(environment));
}

/** For commands beside a gateway, which meet it in its data folder or in its stores. */
export function loadCommandSettings(environment: Environment): Settings {
  const settings = loadSettings(environment);
  if (settings.stores === undefined && settings.dataDir === inMemoryDataDir)
    throw new SettingsError([
      'WEIR_DATA_DIR: what is in the memory of a gateway is out of reach of commands',
    ]);
  return settings;
}

export function loadEnvironment(environment: Environment): Environment {
  const file = existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {};
  return { ...file, ...environment };
}
