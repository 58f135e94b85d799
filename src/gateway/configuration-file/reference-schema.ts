import { isJsonObject, type JsonObject } from '../../lib/json.ts';

/** `${PORT:-3099}` */
export const reference: JsonObject = { type: 'string', pattern: '\\$\\{|^(file|exec):' };

/** The same schema, in which a reference may stand in the place of every single value. */
export function withReferences(schema: JsonObject): JsonObject {
  const { properties, additionalProperties, items, anyOf } = schema;
  if (Array.isArray(anyOf)) return { ...schema, anyOf: anyOf.map(within) };
  if (isJsonObject(items)) return { ...schema, items: within(items) };
  if (schema.type === 'object')
    return {
      ...schema,
      ...(isJsonObject(properties) && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([name, value]) => [name, within(value)]),
        ),
      }),
      ...(additionalProperties !== undefined && { additionalProperties: within(additionalProperties) }),
    };
  return isAnyText(schema) ? schema : { anyOf: [schema, reference] };
}

function within(schema: unknown): unknown {
  return isJsonObject(schema) ? withReferences(schema) : schema;
}

function isAnyText({ type, enum: choices, const: only, pattern }: JsonObject): boolean {
  const isText = type === undefined || type === 'string' || (Array.isArray(type) && type.includes('string'));
  return isText && [choices, only, pattern].every((bound) => bound === undefined);
}
