import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { type Environment, readSettings, type Settings } from '../gateway/settings.ts';

/** What the environment says wins over the file. */
export function settingsFrom(environment: Environment): Settings {
  return readSettings(wholeEnvironment(environment));
}

export function wholeEnvironment(environment: Environment): Environment {
  const file = existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {};
  return { ...file, ...environment };
}
