import { isJsonObject, type JsonObject } from '../../kernel/json.ts';

/**
 * Reads a field under either of the names that it may have: Google's JSON is that of protocol buffers, which takes
 * `functionCall` and `function_call` alike (https://protobuf.dev/programming-guides/json). `null` is as good as absent.
 */
export function field(object: JsonObject, name: string): unknown {
  return object[name] ?? object[snakeOf(name)] ?? undefined;
}

/** The name under which an object has a field; the usual one where it has none. */
export function nameIn(object: JsonObject, name: string): string {
  const snake = snakeOf(name);
  return object[name] === undefined && object[snake] !== undefined ? snake : name;
}

/** A single value may stand for a list of one. */
export function listIn(object: JsonObject, name: string): readonly JsonObject[] {
  const value = field(object, name);
  if (isJsonObject(value)) return [value];
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

export function camelOf(name: string): string {
  return name.includes('_') ? name.replace(/_([a-z\d])/g, (_, letter: string) => letter.toUpperCase()) : name;
}

function snakeOf(name: string): string {
  let snake = snakes.get(name);
  if (snake === undefined) {
    snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    snakes.set(name, snake);
  }
  return snake;
}

/** Only names that stand in this folder are asked for. */
const snakes = new Map<string, string>();
