import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import { holdsSecret } from '../lib/secret-shapes.ts';
import { canonicalJson } from './canonical-json.ts';
import type { AuditFacts } from './facts.ts';
import { hashOf } from './hash-of.ts';
import { limits } from './limits.ts';

/** The fields that differ, with their values before and after. */
export function changeOf(
  before: object,
  after: object,
): Required<Pick<AuditFacts, 'changed' | 'before' | 'after'>> {
  const [old, made] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  const names = [...new Set([...old.keys(), ...made.keys()])];
  const changed = names.filter((name) => !isDeepStrictEqual(old.get(name), made.get(name)));
  return { changed, before: pick(old, changed), after: pick(made, changed) };
}

/** What a new entry may show: without secrets, and with a digest in place of what is long. */
export function shown(fields: object): JsonObject {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, namesSecret(name) && value !== null ? secret : shownValue(value)]),
  );
}

const secret = '[secret]';

function shownValue(value: unknown): unknown {
  if (typeof value === 'string' && holdsSecret(value)) return secret;
  const text = typeof value === 'string' ? value : canonicalJson(value ?? null);
  if (text.length > limits.valueCharactersMax) return { sha256: hashOf(text), characters: text.length };
  if (Array.isArray(value)) return value.map(shownValue);
  return isJsonObject(value) ? shown(value) : value;
}

/** Headers hold credentials under names of their own. */
function namesSecret(name: string): boolean {
  return /(?:key|token|secret|password|headers|authorization|passphrase)s?$/i.test(name.slice(-40));
}

function pick(fields: ReadonlyMap<string, unknown>, names: readonly string[]): object {
  return Object.fromEntries(names.map((name) => [name, fields.get(name) ?? null]));
}

/** object that say who somebody is, or may. */
const personalNames: ReadonlySet<string> = new Set([
  ...['name', 'owner', 'email', 'addresses', 'url', 'end_user', 'note'],
]);

interface SplitFields {
  readonly plain: JsonObject;
  /** As texts, by name. */
  readonly personal: Readonly<Record<string, string>>;
}

/** Separates personal fields, which a chain has commitments to only. */
export function splitPersonal(fields: JsonObject): SplitFields {
  const plain: Record<string, unknown> = {};
  const personal: Record<string, string> = {};
  for (const [name, value] of Object.entries(fields))
    if (personalNames.has(name) && value !== null && value !== '')
      personal[name] = typeof value === 'string' ? value : canonicalJson(value);
    else plain[name] = value;
  return { plain, personal };
}
