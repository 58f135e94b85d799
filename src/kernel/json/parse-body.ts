import type { JsonObject } from '../../lib/json.ts';
import { LazyJsonObject } from './lazy-json-object.ts';

/** Parses a body; rejects what two parsers could read differently: duplicate keys, invalid UTF-8, excessive depth. */
export function parseBody(bytes: Uint8Array): JsonObject {
  return LazyJsonObject.of(bytes).parse();
}
