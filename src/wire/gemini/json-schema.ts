import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { toCamelCase } from './fields.ts';

/**
 * Converts Google's schema format (https://ai.google.dev/api/caching#Schema) to JSON Schema: it has types in capitals,
 * `nullable`, numbers in strings and a property order, which JSON Schema lacks.
 */
export function toJsonSchema(schema: unknown): JsonObject {
  if (!isJsonObject(schema)) return {};
  const read: Record<string, unknown> = {};
  for (const [written, value] of Object.entries(schema)) {
    const name = toCamelCase(written);
    if (value === null || value === undefined || isGoogleOnly(name, value)) continue;
    read[name] = convertKeyword(name, value);
  }
  return schema.nullable === true ? withNull(read) : read;
}

/** JSON Schema has no `nullable`: `null` becomes another type, choice or value. */
function withNull(read: JsonObject): JsonObject {
  return {
    ...read,
    ...(typeof read.type === 'string' && { type: [read.type, 'null'] }),
    ...(Array.isArray(read.anyOf) && { anyOf: [...read.anyOf, { type: 'null' }] }),
    ...(Array.isArray(read.enum) && { enum: [...read.enum, null] }),
  };
}

const googleOnlyKeywords: ReadonlySet<string> = new Set(['nullable', 'propertyOrdering']);

/** Unspecified values, and a format that only repeats `enum`. */
function isGoogleOnly(name: string, value: unknown): boolean {
  if (name === 'type') return value === 'TYPE_UNSPECIFIED' || value === 0;
  return name === 'format' ? value === 'enum' : googleOnlyKeywords.has(name);
}

/** Older SDKs send the numbers of the enumeration. */
const typesByNumber = ['', 'string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];

function convertKeyword(name: string, value: unknown): unknown {
  switch (name) {
    case 'type':
      if (typeof value === 'number') return typesByNumber[value] ?? value;
      return typeof value === 'string' ? value.toLowerCase() : value;
    case 'items':
    case 'additionalProperties':
      return isJsonObject(value) ? toJsonSchema(value) : value;
    case 'anyOf':
    case 'oneOf':
    case 'allOf':
    case 'prefixItems':
      return Array.isArray(value) ? value.map(toJsonSchema) : value;
    case 'properties':
    case '$defs':
    case 'defs':
      return isJsonObject(value) ? convertSchemas(value) : value;
    default:
      return numericKeywords.has(name) && typeof value === 'string' && value !== '' ? Number(value) : value;
  }
}

function convertSchemas(schemas: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, toJsonSchema(schema)]));
}

const numericKeywords: ReadonlySet<string> = new Set([
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'minProperties',
  'maxProperties',
]);
