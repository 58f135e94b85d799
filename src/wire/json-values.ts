import { limits as kernelLimits } from '../kernel/limits.ts';
import { isJsonObject, type JsonObject, parseExact } from '../lib/json.ts';
import { shapeOf } from '../lib/json-scan.ts';
import { limits } from './limits.ts';

/** For data from other parties: a value of the wrong type counts as absent. */
export function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** Milliseconds of a time such as `2026-11-19T05:00:00Z`. */
export function timeOf(value: unknown): number | undefined {
  return typeof value === 'string' ? numberOf(Date.parse(value)) : undefined;
}

/** A billed count: a non-negative integer up to a plausible maximum. */
export function countOf(value: unknown): number | undefined {
  return isCount(value) ? value : undefined;
}

export function isCount(value: unknown): value is number {
  return (
    typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= limits.reportedCountMax
  );
}

/** A plausible cost in dollars. */
export function isCost(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= limits.reportedCostUsdMax;
}

export function booleanOf(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

export function objectOf(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

export function objectsOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

export function parseObject(text: string): JsonObject | undefined {
  try {
    return isTooDeep(text) ? undefined : objectOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Keeps every digit of numbers, for data that is written again. */
export function parseExactObject(text: string): JsonObject | undefined {
  try {
    return isTooDeep(text) ? undefined : objectOf(parseExact(text));
  } catch {
    return undefined;
  }
}

/** Checks of fields that are present and not null. */
export type FieldChecks = Readonly<Record<string, (value: unknown) => boolean>>;

/** Drops the fields that fail their check; the same object if none does. */
export function dropInvalidFields(object: JsonObject, checks: FieldChecks): JsonObject {
  let sound: Record<string, unknown> | undefined;
  for (const name in checks) {
    const value = object[name];
    if (value === undefined || value === null || checks[name]?.(value) === true) continue;
    sound ??= { ...object };
    delete sound[name];
  }
  return sound ?? object;
}

/** Protects later recursion from stack overflow; a short text can't be too deep. */
function isTooDeep(text: string): boolean {
  return text.length > 2 * kernelLimits.jsonDepthMax && shapeOf(text).depth > kernelLimits.jsonDepthMax;
}

type WithoutUndefined<Fields> = {
  [Key in keyof Fields as undefined extends Fields[Key] ? never : Key]: Fields[Key];
} & {
  [Key in keyof Fields as undefined extends Fields[Key] ? Key : never]?: Exclude<Fields[Key], undefined>;
};

export function omitUndefined<const Fields extends object>(fields: Fields): WithoutUndefined<Fields> {
  const defined: Record<string, unknown> = {};
  for (const name in fields) if (fields[name] !== undefined) defined[name] = fields[name];
  return defined as WithoutUndefined<Fields>;
}
