import type { JsonObject } from './json.ts';
import { LazyJsonObject } from './lazy-json-object.ts';

/** Parses a body, refusing what two parsers could read in two ways: duplicate keys, broken UTF-8, depth. */
export function parseBody(bytes: Uint8Array): JsonObject {
  return LazyJsonObject.of(bytes).parse();
}
