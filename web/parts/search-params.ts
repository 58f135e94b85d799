import { type RangeName, ranges } from '../api/queries.ts';

/** The part of an address behind its question mark, as the router has read it. */
export type SearchParams = Readonly<Record<string, unknown>>;

/** The named texts; others are left out. */
export function texts<Name extends string>(
  search: SearchParams,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const found: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const value = search[name];
    if (typeof value === 'string' && value !== '') found[name] = value;
    else if (typeof value === 'number' || typeof value === 'boolean') found[name] = String(value);
  }
  return found;
}

/** Those that are times. */
export function times<Name extends string>(
  search: SearchParams,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const found = texts(search, names);
  for (const name of names) if (Number.isNaN(Date.parse(found[name] ?? ''))) delete found[name];
  return found;
}

/** The value, if it is one of the names. */
export function oneOf<Name extends string>(value: unknown, names: readonly Name[]): Name | undefined {
  return names.find((name) => name === value);
}

export function isRangeName(name: unknown): name is RangeName {
  return typeof name === 'string' && Object.hasOwn(ranges, name);
}

/** The address of a page that opens one of its items. */
export const opens = (search: SearchParams): { readonly open?: string } => texts(search, ['open']);
