import type { Settings } from './settings.ts';

type Rest = Settings['rest'];

/** What is set for a module, `WEIR_EXACT_CACHE_TTL` for `exact-cache`, by what comes after its name: `TTL`. */
export function settingsOf(module: string, rest: Rest): Readonly<Record<string, string>> {
  const prefix = prefixOf(module);
  const own = [...rest].filter(([variable]) => isBelow(variable, prefix));
  return Object.fromEntries(own.map(([variable, value]) => [variable.slice(prefix.length), value.reveal()]));
}

/** Variables that mean nothing to any of these modules either. */
export function unknownTo(modules: Iterable<string>, rest: Rest): readonly string[] {
  const prefixes = [...modules].map(prefixOf);
  return [...rest.keys()].filter((variable) => !prefixes.some((prefix) => isBelow(variable, prefix)));
}

function prefixOf(module: string): string {
  return `WEIR_${module.toUpperCase().replaceAll('-', '_')}_`;
}

function isBelow(variable: string, prefix: string): boolean {
  return variable.startsWith(prefix) && variable.length > prefix.length;
}
