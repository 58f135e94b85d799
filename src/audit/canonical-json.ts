import { isJsonObject } from '../lib/json.ts';

/**
 * JSON with sorted names and without blanks (RFC 8785), so that any program can compute the hash of an entry from its
 * fields. Fields without a value are left out.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.toWellFormed());
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const fields = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .toSorted(byCodeUnits)
    .map((name) => `${canonicalJson(name)}:${canonicalJson(value[name])}`);
  return `{${fields.join(',')}}`;
}

function byCodeUnits(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
