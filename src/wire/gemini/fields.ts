import { isJsonObject, type JsonObject } from '../../kernel/json.ts';

/**
 * Reads a field under either of the names that it may have: Google's JSON is that of protocol buffers, which takes
 * `functionCall` and `function_call` alike (https://protobuf.dev/programming-guides/json). `null` is as good as absent.
 */
export function readField(object: JsonObject, name: string): unknown {
  return object[name] ?? object[toSnakeCase(name)] ?? undefined;
}

/** The name under which an object has a field; the usual one where it has none. */
export function fieldNameIn(object: JsonObject, name: string): string {
  const snake = toSnakeCase(name);
  return object[name] === undefined && object[snake] !== undefined ? snake : name;
}

/** A single value may stand for a list of one. */
export function objectListIn(object: JsonObject, name: string): readonly JsonObject[] {
  const value = readField(object, name);
  if (isJsonObject(value)) return [value];
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

export function toCamelCase(name: string): string {
  return name.includes('_') ? name.replace(/_([a-z\d])/g, (_, letter: string) => letter.toUpperCase()) : name;
}

function toSnakeCase(name: string): string {
  let snake = snakeCaseNames.get(name);
  if (snake === undefined) {
    snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    snakeCaseNames.set(name, snake);
  }
  return snake;
}

/** Only names that stand in this folder are asked for. */
const snakeCaseNames = new Map<string, string>();
