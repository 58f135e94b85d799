import { isJsonObject, type JsonObject } from '../lib/json.ts';

/** Whether a value only contains what the canonical shape covers. */
export type Check = (value: unknown) => boolean;

export const anything: Check = () => true;
export const text: Check = (value) => typeof value === 'string' && value !== '';
export const number: Check = (value) => typeof value === 'number';

export function oneOf(...values: readonly unknown[]): Check {
  return (value) => values.includes(value);
}

export function either(...checks: readonly Check[]): Check {
  return (value) => checks.some((check) => check(value));
}

export function listOf(check: Check): Check {
  return (value) => Array.isArray(value) && value.length > 0 && value.every(check);
}

/** An object with all of `needed`, possibly some of `optional`, and nothing else. */
export function objectWith(needed: Checks, optional: Checks = {}): Check {
  const checks = new Map(Object.entries({ ...optional, ...needed }));
  const names = Object.keys(needed);
  return (value) =>
    isJsonObject(value) &&
    names.every((name) => name in value) &&
    Object.entries(value).every(([name, inner]) => checks.get(name)?.(inner) === true);
}

type Checks = Readonly<Record<string, Check>>;

/** Fields that can't change an answer. */
export function ignoredFields(names: readonly string[]): Checks {
  return Object.fromEntries(names.map((name) => [name, anything]));
}

/** Alternating turns that start with the user: formats differ in how they split longer turns. */
export function alternatingTurns(check: Check, assistant: string): Check {
  const turns = listOf(check);
  return (value) =>
    turns(value) &&
    Array.isArray(value) &&
    value.every((turn: JsonObject, at) => turn.role === (at % 2 === 0 ? 'user' : assistant));
}
