import type { Settings } from './settings.ts';

type UnclaimedVariables = Settings['rest'];

/** The settings of a module: `WEIR_EXACT_CACHE_TTL` becomes `TTL` for `exact-cache`. */
export function moduleSettingsOf(module: string, rest: UnclaimedVariables): Readonly<Record<string, string>> {
  const prefix = prefixOf(module);
  const own = [...rest].filter(([variable]) => hasPrefix(variable, prefix));
  return Object.fromEntries(own.map(([variable, value]) => [variable.slice(prefix.length), value.reveal()]));
}

/** Variables that belong to none of these modules. */
export function findUnknownVariables(modules: Iterable<string>, rest: UnclaimedVariables): readonly string[] {
  const prefixes = [...modules].map(prefixOf);
  return [...rest.keys()].filter((variable) => !prefixes.some((prefix) => hasPrefix(variable, prefix)));
}

function prefixOf(module: string): string {
  return `WEIR_${module.toUpperCase().replaceAll('-', '_')}_`;
}

function hasPrefix(variable: string, prefix: string): boolean {
  return variable.startsWith(prefix) && variable.length > prefix.length;
}
