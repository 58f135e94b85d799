import type { JsonObject } from '../lib/json.ts';

/** The wire objects that canonical messages and tools were decoded from: unchanged ones are written back as they came. */
const originals = new WeakMap<object, readonly JsonObject[]>();

export function attachOriginals<Value extends object>(value: Value, from: readonly JsonObject[]): Value {
  originals.set(value, from);
  return value;
}

export function originalsOf(value: object): readonly JsonObject[] | undefined {
  return originals.get(value);
}
