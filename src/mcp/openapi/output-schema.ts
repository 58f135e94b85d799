import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { typesIn } from './input-schema.ts';
import { limits } from './limits.ts';
import type { References } from './references.ts';

/** The field of a result for a response that its description does not cover. */
export const uncoveredField = 'undescribed';

/**
 * The schema of the result of a tool, for a response that is a JSON object; undefined for any other. Clients refuse results that do
 * not match it, but APIs often answer otherwise than described: such a response is put into a field of its own.
 */
export function outputSchemaOf(promised: JsonObject): JsonObject {
  return {
    type: 'object',
    anyOf: [
      promised,
      {
        type: 'object',
        properties: {
          [uncoveredField]: {
            description:
              'What the API answered, if that is none of the described responses; null if it is too large',
          },
        },
        required: [uncoveredField],
      },
    ],
  };
}

/** The first levels of the schema of a response; undefined if it is no object. */
export function promisedSchema(schema: unknown, references: References): JsonObject | undefined {
  const reader = new OutputReader(references);
  const converted = reader.convert(schema, 0);
  return converted.type === 'object' && converted.properties !== undefined ? converted : undefined;
}

/** Anything is allowed where a schema is complex, deep or large. */
class OutputReader {
  readonly #references: References;
  #values = 0;

  constructor(references: References) {
    this.#references = references;
  }

  convert(schema: unknown, depth: number): JsonObject {
    if (!isJsonObject(schema) || ++this.#values > limits.outputValuesMax) return {};
    const resolved = this.#references.resolve(schema);
    const { description, nullable, properties, required, items, enum: values } = resolved;
    const told = typeof description === 'string' ? { description: description.slice(0, 300) } : {};
    const type = typesIn(resolved.type) ?? (isJsonObject(properties) ? 'object' : undefined);
    if (type === undefined || depth > limits.outputDepthMax || alternatives.some((name) => name in resolved))
      return told;
    const isNullable = nullable === true && typeof type === 'string';
    const fields = isJsonObject(properties)
      ? Object.entries(properties).filter(([, inner]) => !isJsonObject(inner) || inner.writeOnly !== true)
      : [];
    const needed = Array.isArray(required)
      ? required.filter((name) => fields.some(([field]) => field === name))
      : [];
    return {
      ...told,
      type: isNullable ? [type, 'null'] : type,
      ...(fields.length > 0 && {
        properties: Object.fromEntries(fields.map(([name, inner]) => [name, this.convert(inner, depth + 1)])),
      }),
      ...(needed.length > 0 && { required: needed }),
      ...(isJsonObject(items) && { items: this.convert(items, depth + 1) }),
      ...(Array.isArray(values) &&
        !isNullable &&
        values.length <= limits.outputValuesMax && { enum: values }),
    };
  }
}

const alternatives = ['allOf', 'anyOf', 'oneOf', 'not', 'if', '$ref'];
