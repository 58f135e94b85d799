import { z } from 'zod';
import type { SettingPlace } from '../../lib/settings.ts';
import type { ConfigurationFile } from './read-configuration-file.ts';

/** One setting, for operators. */
export interface SettingRow {
  /** Its path in the file. */
  readonly setting: string;
  readonly variable: string;
  /** Undefined without a value and a default; secrets are masked. */
  readonly value: string | undefined;
  /** `default`, `environment`, `.env`, `command line`, or `weir.yaml:3:9`. */
  readonly source: string;
}

interface Loaded {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly file: ConfigurationFile | undefined;
  sourceOf(variable: string): string | undefined;
}

/** All settings in the order of their paths. */
export function settingRows(loaded: Loaded, places: readonly SettingPlace[]): readonly SettingRow[] {
  const rows = new Map<string, SettingRow>();
  for (const place of places)
    for (const [variable, at] of variablesOf(place, loaded.environment))
      rows.set(variable, rowOf(loaded, place, variable, at));
  return [...rows.values()].toSorted((one, other) => (one.setting < other.setting ? -1 : 1));
}

/** The variables of a place that are set, with their paths; the one of a place without names in any case. */
function variablesOf(
  { variable, at }: SettingPlace,
  environment: Loaded['environment'],
): readonly (readonly [string, string])[] {
  if (!variable.includes('*')) return [[variable, at]];
  // Those of modules are known to the modules only.
  if (at.startsWith('modules.')) return [];
  const [before = '', after = ''] = variable.split('*');
  return Object.keys(environment).flatMap((name) => {
    const chosen = name.slice(before.length, name.length - after.length);
    const isIt = name.startsWith(before) && name.endsWith(after) && /^[A-Z][A-Z0-9-]*$/.test(chosen);
    return isIt ? [[name, at.replace('*', chosen.toLowerCase())] as const] : [];
  });
}

function rowOf(
  { environment, file, sourceOf }: Loaded,
  place: SettingPlace,
  variable: string,
  at: string,
): SettingRow {
  const text = environment[variable];
  const source = sourceOf(variable) ?? 'default';
  const position = file?.values.get(variable);
  const where = position === undefined ? source : `${file?.path}:${position.line}:${position.column}`;
  return {
    setting: at,
    variable,
    value: text === undefined ? defaultOf(place) : place.isSecret ? '***' : text,
    source: source === 'file' ? where : source,
  };
}

function defaultOf({ schema }: SettingPlace): string | undefined {
  const { default: preset } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return preset === undefined || typeof preset === 'object' ? undefined : String(preset);
}
