import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { limits } from './limits.ts';
import type { References } from './references.ts';

interface SchemaOptions {
  /** References that are followed from the arguments on; what is deeper is left to the API. */
  readonly depthMax: number;
}

/** A schema with too many values; a shallower one may do. */
export class SchemaTooLarge extends Error {}

/**
 * Converts the schemas of one operation to those of a tool, in JSON Schema 2020-12. Small referenced schemas are put in place; large
 * and recursive ones become definitions. Only known keywords are kept, without regular expressions, since clients would run them.
 */
export class InputSchemas {
  readonly #references: References;
  readonly #depthMax: number;
  /** Names of the definitions by their references. */
  readonly #names = new Map<string, string>();
  readonly #waiting: { readonly reference: string; readonly name: string; readonly depth: number }[] = [];
  #values = 0;

  constructor(references: References, { depthMax }: SchemaOptions) {
    this.#references = references;
    this.#depthMax = depthMax;
  }

  convert(schema: unknown): JsonObject | boolean {
    return this.#convert(schema, 0);
  }

  /** The definitions of all schemas that were converted. */
  definitions(): JsonObject {
    const definitions: [string, unknown][] = [];
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift())
      definitions.push([next.name, this.#convert(this.#references.at(next.reference), next.depth)]);
    return Object.fromEntries(definitions);
  }

  #convert(schema: unknown, depth: number): JsonObject | boolean {
    if (++this.#values > limits.schemaValuesMax) throw new SchemaTooLarge();
    if (typeof schema === 'boolean') return schema;
    if (!isJsonObject(schema)) return {};
    const { $ref: reference } = schema;
    if (typeof reference === 'string') return this.#convertReference(reference, schema, depth);
    const converted: Record<string, unknown> = {
      ...this.#plainKeywords(schema),
      ...this.#innerSchemas(schema, depth),
    };
    addProperties(converted, schema, (inner) => this.#convert(inner, depth), this.#isReadOnly);
    return acceptNull(converted, schema);
  }

  readonly #isReadOnly = (schema: unknown): boolean =>
    isJsonObject(schema) &&
    (typeof schema.$ref === 'string' ? this.#references.resolve(schema) : schema).readOnly === true;

  #convertReference(reference: string, schema: JsonObject, depth: number): JsonObject | boolean {
    const target = this.#references.at(reference);
    const own = annotationsOf(schema);
    if (this.#references.sizeOf(reference) <= limits.inlineValuesMax)
      return merge(this.#convert(target, depth), own);
    if (depth >= this.#depthMax) return merge(outlineOf(target), own);
    const name = this.#names.get(reference) ?? this.#addDefinition(reference, depth + 1);
    return { $ref: `#/$defs/${name}`, ...own };
  }

  #addDefinition(reference: string, depth: number): string {
    const last = reference.slice(reference.lastIndexOf('/') + 1).replace(/[^\w.-]/g, '_');
    const taken = new Set(this.#names.values());
    let name = last;
    for (let number = 2; taken.has(name); number++) name = `${last}_${number}`;
    this.#names.set(reference, name);
    this.#waiting.push({ reference, name, depth });
    return name;
  }

  #plainKeywords(schema: JsonObject): Record<string, unknown> {
    const converted: Record<string, unknown> = annotationsOf(schema);
    for (const keyword of numericKeywords)
      if (typeof schema[keyword] === 'number') converted[keyword] = schema[keyword];
    for (const [exclusive, limit] of exclusiveLimits) {
      if (schema[exclusive] !== true) continue;
      delete converted[limit];
      if (typeof schema[limit] === 'number') converted[exclusive] = schema[limit];
    }
    if (schema.uniqueItems === true) converted.uniqueItems = true;
    const type = typesIn(schema.type);
    if (type !== undefined) converted.type = type;
    if (Array.isArray(schema.enum)) converted.enum = schema.enum;
    for (const keyword of ['const', 'default']) if (keyword in schema) converted[keyword] = schema[keyword];
    return converted;
  }

  #innerSchemas(schema: JsonObject, depth: number): Record<string, unknown> {
    const converted: Record<string, unknown> = {};
    const convertAll = (list: readonly unknown[]) => list.map((inner) => this.#convert(inner, depth));
    if (isSchema(schema.items)) converted.items = this.#convert(schema.items, depth);
    if (Array.isArray(schema.prefixItems)) converted.prefixItems = convertAll(schema.prefixItems);
    if (Array.isArray(schema.allOf)) converted.allOf = convertAll(schema.allOf);
    // Keywords that are left out make two alternatives alike, so one of them is enough.
    const alternatives = [schema.anyOf, schema.oneOf].filter((list) => Array.isArray(list));
    const [first, second] = alternatives.map(convertAll);
    if (first !== undefined) converted.anyOf = first;
    if (second !== undefined)
      converted.allOf = [...(Array.isArray(converted.allOf) ? converted.allOf : []), { anyOf: second }];
    return converted;
  }
}

const numericKeywords = [
  'multipleOf',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
];

const exclusiveLimits = [
  ['exclusiveMinimum', 'minimum'],
  ['exclusiveMaximum', 'maximum'],
] as const;

const typeNames = new Set(['null', 'boolean', 'object', 'array', 'number', 'integer', 'string']);

export function typesIn(type: unknown): string | readonly string[] | undefined {
  if (typeof type === 'string') return typeNames.has(type) ? type : undefined;
  if (!Array.isArray(type)) return undefined;
  const types = type.filter((name): name is string => typeNames.has(name));
  return types.length === 0 ? undefined : types;
}

function isSchema(value: unknown): boolean {
  return typeof value === 'boolean' || isJsonObject(value);
}

/** Adds the fields of an object; a client must not send those that only the API sets. */
function addProperties(
  converted: Record<string, unknown>,
  schema: JsonObject,
  convert: (schema: unknown) => unknown,
  isReadOnly: (schema: unknown) => boolean,
): void {
  const { properties, required, additionalProperties, patternProperties } = schema;
  const fields = isJsonObject(properties) ? Object.entries(properties) : [];
  const offered = fields.filter(([, inner]) => !isReadOnly(inner));
  if (fields.length > 0)
    converted.properties = Object.fromEntries(offered.map(([name, inner]) => [name, convert(inner)]));
  const hidden = new Set(fields.filter((field) => !offered.includes(field)).map(([name]) => name));
  const needed = Array.isArray(required)
    ? required.filter((name): name is string => typeof name === 'string' && !hidden.has(name))
    : [];
  if (needed.length > 0) converted.required = [...new Set(needed)];
  // Names that only a regular expression describes are accepted.
  if (isSchema(additionalProperties) && patternProperties === undefined)
    converted.additionalProperties = convert(additionalProperties);
}

/** `nullable` of OpenAPI 3.0. */
function acceptNull(converted: Record<string, unknown>, { nullable }: JsonObject): JsonObject {
  if (nullable !== true) return converted;
  const { type, enum: values, ...rest } = converted;
  if (typeof type !== 'string') return { anyOf: [converted, { type: 'null' }] };
  return {
    type: [type, 'null'],
    ...(Array.isArray(values) && { enum: [...new Set([...values, null])] }),
    ...rest,
  };
}

/** Clients may refuse a schema with a format that they don't know. */
const formats = new Set([
  'date-time',
  'date',
  'time',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uri',
  'uuid',
]);

/** What is said of a value without saying what it consists of. */
function annotationsOf(schema: JsonObject): Record<string, unknown> {
  const { title, description, format, pattern, deprecated } = schema;
  const isTold = typeof pattern === 'string' && pattern.length <= limits.patternCharactersMax;
  const texts = [description, isTold && `Pattern: ${pattern}`].filter((text) => typeof text === 'string');
  return {
    ...(typeof title === 'string' && { title: title.slice(0, 200) }),
    ...(texts.length > 0 && { description: texts.join('\n').slice(0, limits.descriptionCharactersMax) }),
    ...(typeof format === 'string' && formats.has(format) && { format }),
    ...(deprecated === true && { deprecated }),
  };
}

function outlineOf(target: unknown): JsonObject {
  if (!isJsonObject(target)) return {};
  const type = typesIn(target.type);
  return { ...(type !== undefined && { type }), ...annotationsOf(target) };
}

function merge(schema: JsonObject | boolean, own: JsonObject): JsonObject | boolean {
  return typeof schema === 'boolean' ? schema : { ...schema, ...own };
}
