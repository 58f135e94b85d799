import type { ModuleDay } from '../kernel/ports/records.ts';

/** What a module counts is stored like the calls of a module of this name. Names of modules have no slash. */
export function countName(module: string, name: string): string {
  return `${module}/${name}`;
}

export function isCount({ module }: Pick<ModuleDay, 'module'>): boolean {
  return module.includes('/');
}

/** The module that a row is about, or that counted. */
export function moduleOf({ module }: Pick<ModuleDay, 'module'>): string {
  return module.split('/', 1)[0] ?? module;
}

/** Sums by name of what a module counted. */
export function countsIn(days: readonly ModuleDay[]): Record<string, number> {
  const sums = new Map<string, number>();
  for (const row of days.filter(isCount)) {
    const name = row.module.slice(moduleOf(row).length + 1);
    sums.set(name, (sums.get(name) ?? 0) + row.calls);
  }
  return Object.fromEntries([...sums].toSorted());
}
