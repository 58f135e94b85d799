import { isJsonObject, type JsonObject } from '../../lib/json.ts';

/**
 * Reads a field by either of its names: protocol buffers' JSON accepts both `functionCall` and `function_call`
 * (https://protobuf.dev/programming-guides/json). `null` counts as absent.
 */
export function readField(object: JsonObject, name: string): unknown {
  return object[name] ?? object[toSnakeCase(name)] ?? undefined;
}

/** The name that an object uses for a field; the camel-case one by default. */
export function fieldNameIn(object: JsonObject, name: string): string {
  const snake = toSnakeCase(name);
  return object[name] === undefined && object[snake] !== undefined ? snake : name;
}

/** A single object counts as a list of one. */
export function objectListIn(object: JsonObject, name: string): readonly JsonObject[] {
  const value = readField(object, name);
  if (isJsonObject(value)) return [value];
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

export function toCamelCase(name: string): string {
  return name.includes('_') ? name.replace(/_([a-z\d])/g, (_, letter: string) => letter.toUpperCase()) : name;
}

export function toSnakeCase(name: string): string {
  let snake = snakeCaseNames.get(name);
  if (snake === undefined) {
    snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    snakeCaseNames.set(name, snake);
  }
  return snake;
}

/** Bounded: only names in this folder are looked up. */
const snakeCaseNames = new Map<string, string>();
