import { isAscii, isUtf8 } from 'node:buffer';
import { GatewayError } from './errors.ts';
import { isJsonObject, type JsonObject } from './json.ts';
import { shapeOf } from './json-scan.ts';
import { limits } from './limits.ts';

/** Parses a request body, refusing what two parsers could read in two ways: duplicate keys, broken UTF-8, depth. */
export function parseBody(bytes: Uint8Array): JsonObject {
  return parseCounted(bytes).body;
}

/** The same, with how many values there are; `prepare` is told before they take up memory. */
export function parseCounted(
  bytes: Uint8Array,
  prepare?: (values: number) => void,
): { readonly body: JsonObject; readonly values: number } {
  const text = textOf(bytes);
  const { pairs, depth, values } = shapeOf(text, limits.jsonValuesMax);
  if (values > limits.jsonValuesMax)
    throw new GatewayError('invalid_json', `the body has more than ${limits.jsonValuesMax} values`);
  if (depth > limits.jsonDepthMax)
    throw new GatewayError('invalid_json', `the body is nested more than ${limits.jsonDepthMax} deep`);
  prepare?.(values);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new GatewayError('invalid_json', `the body is not JSON: ${why.slice(0, 200)}`, { cause });
  }
  if (!isJsonObject(body)) throw new GatewayError('invalid_json', 'the body must be a JSON object');
  if (countKeys(body) !== pairs)
    throw new GatewayError('invalid_json', 'the body has an object with a duplicate key');
  return { body, values };
}

/** Most bodies are plain ASCII, which is read at the speed of a copy. */
function textOf(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isAscii(buffer)) return buffer.toString('latin1');
  if (!isUtf8(buffer)) throw new GatewayError('invalid_json', 'the body is not valid UTF-8');
  return buffer.toString('utf8');
}

/** Counts the keys that survived parsing: fewer than were written means that one was there twice. */
function countKeys(value: object): number {
  let keys = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object' && item !== null) keys += countKeys(item);
  } else if (isJsonObject(value)) {
    for (const name in value) {
      keys++;
      const inner = value[name];
      if (typeof inner === 'object' && inner !== null) keys += countKeys(inner);
    }
  }
  return keys;
}
