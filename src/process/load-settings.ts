import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { positionIn } from '../gateway/configuration-file/position-in.ts';
import {
  type ConfigurationFile,
  readConfigurationFile,
} from '../gateway/configuration-file/read-configuration-file.ts';
import { unknownProvider } from '../gateway/provider-faults.ts';
import {
  type Environment,
  readSettings,
  type Settings,
  SettingsError,
  settingPlaces,
} from '../gateway/settings.ts';
import type { SettingIssue } from '../lib/settings.ts';
import { configuredProviders } from '../providers/configured-providers.ts';
import { inMemoryDataDir } from '../storage/settings.ts';
import { readAssignments } from './assignments.ts';

/** Where the value of a setting comes from. */
type SettingSource = 'command line' | 'environment' | '.env' | 'file';

export interface LoadedSettings {
  readonly settings: Settings;
  /** All variables, those of the file among them. */
  readonly environment: Environment;
  readonly file: ConfigurationFile | undefined;
  sourceOf(variable: string): SettingSource | undefined;
  /** Puts the place in the file before a fault that begins with a variable, as those of modules do. */
  locate(fault: string): string;
}

export interface LoadOptions {
  /** `log.level=debug` of the command line, which win over everything else. */
  readonly assignments?: readonly string[];
  /** In place of the file that is found. */
  readonly file?: string;
}

const defaultFiles = ['weir.yaml', 'weir.yml', 'weir.json'];

/** From the command line, the environment, `.env` and the configuration file, in this order. */
export async function loadSettings(environment: Environment, options: LoadOptions = {}): Promise<Settings> {
  return (await loadAll(environment, options)).settings;
}

/** Throws a `SettingsError` with every fault, those of the file with line and column. */
export async function loadAll(
  environment: Environment,
  { assignments = [], file: given }: LoadOptions = {},
): Promise<LoadedSettings> {
  const dotEnv = existsSync('.env') ? withoutBlanks(parseEnv(readFileSync('.env', 'utf8'))) : {};
  const own = withoutBlanks(environment);
  const assigned = readAssignments(assignments, settingPlaces);
  const variables = { ...dotEnv, ...own, ...assigned };
  const path = given ?? variables.WEIR_CONFIG ?? defaultFiles.find((name) => existsSync(name));
  const file =
    path === undefined
      ? undefined
      : await readConfigurationFile(path, {
          places: settingPlaces,
          environment: variables,
          mayExecute: variables.WEIR_CONFIG_EXEC === 'on',
        });
  const ofFile = [...(file?.values ?? [])].filter(
    ([, value]) => !value.variables.some((name) => name in variables),
  );
  const all = { ...Object.fromEntries(ofFile.map(([name, { text }]) => [name, text])), ...variables };
  const sourceOf = (variable: string): SettingSource | undefined => {
    if (variable in assigned) return 'command line';
    if (variable in own) return 'environment';
    if (variable in dotEnv) return '.env';
    return variable in all ? 'file' : undefined;
  };
  const locate = (fault: string): string => {
    const [, variable = '', message = fault] = /^([A-Z][A-Z0-9_]*): (.*)$/s.exec(fault) ?? [];
    if (sourceOf(variable) !== 'file' || file === undefined) return fault;
    const path = pathIn(variable, message);
    return `${positionIn(file, { variable, path, message })}: ${message}`;
  };
  const labelOf = (issue: SettingIssue) =>
    sourceOf(issue.variable) === 'file' && file !== undefined ? positionIn(file, issue) : issue.variable;
  const fileFaults = (file?.faults ?? []).map(
    ({ line, column, message }) => `${path}:${line}:${column}: ${message}`,
  );
  const faults = [...fileFaults];
  try {
    const settings = readSettings(all, labelOf);
    if (file !== undefined) faults.push(...providerNameFaults(file, settings));
    if (faults.length === 0) return { settings, environment: all, file, sourceOf, locate };
  } catch (thrown) {
    if (!(thrown instanceof SettingsError)) throw thrown;
    faults.push(...thrown.faults);
  }
  throw new SettingsError(sortByPosition(faults, path));
}

/** The path in a document of a fault such as `guardrails:strict: …`, `fast: router:fast?strategy: …` or `team.1.cost-guard: …`. */
function pathIn(variable: string, message: string): readonly PropertyKey[] {
  const [, label] = /^([\w.:-]{1,200}): /.exec(message.slice(0, 203)) ?? [];
  if (label === undefined) return [];
  const separator = { WEIR_CONFIGURATIONS: ':', WEIR_PIPELINES: '.' }[variable];
  const [, option] = /\?([\w.]{1,100}): /.exec(message.slice(0, 600)) ?? [];
  const names = separator === undefined ? [label] : label.split(separator);
  return [...names, ...(option?.split('.') ?? [])];
}

/** Keys and prices of a provider that does not exist; as variables they may belong to another program. */
function providerNameFaults(file: ConfigurationFile, settings: Settings): readonly string[] {
  const names = configuredProviders(settings).map(({ name }) => name);
  return [...file.values.values()].flatMap(({ at, line, column }) => {
    const [, name = '', field = ''] = /^providers\.([^.]+)\.(.*)$/.exec(at) ?? [];
    return name === '' || names.includes(name)
      ? []
      : `${file.path}:${line}:${column}: providers.${name}.${field}: ${unknownProvider(name, names)}`;
  });
}

/** Faults of the file by line and column, then the others. */
export function sortByPosition(faults: readonly string[], path: string | undefined): readonly string[] {
  if (path === undefined) return faults;
  const placed = faults.map((fault) => {
    const [line, column] = fault.startsWith(`${path}:`) ? fault.slice(path.length + 1).split(':', 2) : [];
    const position = Number(line) * 1e7 + Number(column);
    return { fault, position: Number.isNaN(position) ? Number.POSITIVE_INFINITY : position };
  });
  return placed
    .toSorted((one, other) => (one.position === other.position ? 0 : one.position - other.position))
    .map(({ fault }) => fault);
}

/** Settings for operator commands, which share the data folder or stores with a gateway. */
export async function loadCommandSettings(environment: Environment): Promise<Settings> {
  const settings = await loadSettings(environment);
  if (settings.stores === undefined && settings.dataDir === inMemoryDataDir)
    throw new SettingsError([
      'WEIR_DATA_DIR: commands cannot access a gateway that keeps its data in memory',
    ]);
  return settings;
}

/** Blank values count as unset, as in compose files. */
function withoutBlanks(environment: Environment): Record<string, string> {
  const set: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) if (value?.trim()) set[name] = value;
  return set;
}
