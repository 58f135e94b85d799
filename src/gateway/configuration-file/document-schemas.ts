import { definitionsKindOf, jsonSchemaOf } from '../../kernel/configuration.ts';
import { limits } from '../../kernel/limits.ts';
import type { Module } from '../../kernel/module.ts';
import { configurationNamePattern } from '../../kernel/pipeline-list.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { withReferences } from './reference-schema.ts';

const configurationNames = {
  pattern: configurationNamePattern.source,
  maxLength: limits.configurationNameMax,
};
/** Of modules in packages nothing more is known. */
const otherModules: JsonObject = { type: ['object', 'null'] };

/** The JSON Schemas of documents that modules check, by their place in the file. */
export function documentSchemas(modules: readonly Module[]): ReadonlyMap<string, JsonObject> {
  const contents = new Map(modules.map((module) => [module.name, contentSchema(module)]));
  const kinds = new Map(contents);
  for (const module of modules) {
    const kind = definitionsKindOf(module);
    if (module.definitions !== undefined && kind !== undefined)
      kinds.set(kind, withReferences(jsonSchemaOf(module.definitions.schema)));
  }
  const ofEach = (schema: JsonObject): JsonObject => ({
    type: 'object',
    propertyNames: configurationNames,
    additionalProperties: schema,
  });
  return new Map<string, JsonObject>([
    ['aliases', ofEach(aliasSchema(contents.get('router') ?? {}))],
    ['guardrails.rules', ofEach(kinds.get('guardrails.rules') ?? {})],
    ['pipelines', pipelinesSchema(contents)],
    [
      'configurations',
      {
        type: 'object',
        properties: Object.fromEntries([...kinds].map(([kind, schema]) => [kind, ofEach(schema)])),
        additionalProperties: ofEach({ type: 'object' }),
      },
    ],
  ]);
}

/** A list of models, or a configuration of the router with models. */
function aliasSchema(router: JsonObject): JsonObject {
  const models = { type: 'array', items: { type: 'string' }, minItems: 1 };
  return { anyOf: [models, { ...router, required: ['models'] }] };
}

/** Entries of a list, or modules with their options. */
function pipelinesSchema(contents: ReadonlyMap<string, JsonObject>): JsonObject {
  const options = [...contents].map(([name, schema]) => [name, { anyOf: [schema, { type: 'null' }] }]);
  const entry = {
    type: 'object',
    minProperties: 1,
    maxProperties: 1,
    properties: Object.fromEntries(options),
    additionalProperties: otherModules,
  };
  return {
    type: 'object',
    propertyNames: { pattern: '^[a-z][a-z0-9-]{0,63}$', not: { enum: ['none', ...contents.keys()] } },
    additionalProperties: { type: 'array', minItems: 1, items: { anyOf: [{ type: 'string' }, entry] } },
  };
}

function contentSchema(module: Module): JsonObject {
  if (module.configuration !== undefined) return withReferences(jsonSchemaOf(module.configuration));
  const { properties, ...schema } = jsonSchemaOf(module.options);
  const options = Object.entries(isJsonObject(properties) ? properties : {});
  const asValues = options.map(([name, option]) => [name, isJsonObject(option) ? inFile(option) : option]);
  return withReferences({ ...schema, properties: Object.fromEntries(asValues) });
}

/** Options of a list are texts; a file may have numbers, true and false in their place. */
function inFile(option: JsonObject): JsonObject {
  const { type, enum: choices, pattern } = option;
  if (Array.isArray(choices))
    return choices.includes('true')
      ? { ...option, type: ['string', 'boolean'], enum: [...choices, true, false] }
      : option;
  if (type === 'number' || type === 'integer')
    return { anyOf: [option, { type: 'string', pattern: '^-?[0-9.]+$' }] };
  if (type !== 'string') return option;
  const others = typeof pattern === 'string' ? [] : ['boolean'];
  const takesNumbers = typeof pattern !== 'string' || new RegExp(pattern).test('1');
  return { ...option, type: ['string', ...(takesNumbers ? ['number'] : []), ...others] };
}
