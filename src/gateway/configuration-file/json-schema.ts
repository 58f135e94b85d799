import { z } from 'zod';
import type { Module } from '../../kernel/module.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { SettingPlace } from '../../lib/settings.ts';
import { documentSchemas } from './document-schemas.ts';
import { createPlaceTree, type PlaceTree } from './place-tree.ts';
import { reference, withReferences } from './reference-schema.ts';

export const schemaAddress = 'https://unpkg.com/weir-gateway/dist/weir.schema.json';

/** The JSON Schema of the configuration file, with which editors complete and check it. */
export function configurationSchema(places: readonly SettingPlace[], modules: readonly Module[]): object {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: schemaAddress,
    title: 'The configuration of Weir',
    ...schemaOf(createPlaceTree(places), documentSchemas(modules), { $schema: { type: 'string' } }),
  };
}

function schemaOf(
  { children, places: [place] }: PlaceTree,
  documents: ReadonlyMap<string, JsonObject>,
  more: object = {},
): object {
  if (place !== undefined) return { description: place.variable, ...valueSchema(place, documents) };
  const open = children.get('*');
  const named = [...children].filter(([name]) => name !== '*');
  return {
    type: ['object', 'null'],
    properties: {
      ...more,
      ...Object.fromEntries(
        // A given name has what any name has, and more.
        named.map(([name, child]) => [
          name,
          schemaOf(open === undefined ? child : merge(open, child), documents),
        ]),
      ),
    },
    additionalProperties: open === undefined ? false : schemaOf(open, documents),
  };
}

function merge(one: PlaceTree, other: PlaceTree): PlaceTree {
  return {
    children: new Map([...other.children, ...one.children]),
    places: [...one.places, ...other.places],
  };
}

/** Texts are allowed everywhere: they may have references. */
function valueSchema(
  { at, form, schema, document }: SettingPlace,
  documents: ReadonlyMap<string, JsonObject>,
): object {
  const text = { type: 'string' };
  if (form === 'list')
    return anyOf({ type: 'array', items: { type: ['string', 'number', 'boolean'] } }, text);
  if (form === 'map' || form === 'headers')
    return anyOf({ type: 'object', additionalProperties: { type: ['string', 'number', 'boolean'] } }, text);
  if (form === 'document' || form === 'keys')
    return anyOf(
      document === undefined
        ? (documents.get(at) ?? { type: 'object' })
        : withReferences(inputSchema(document)),
      text,
    );
  const { default: preset, ...own } = inputSchema(schema);
  const { enum: choices } = own;
  const isSwitch = Array.isArray(choices) && choices.includes('on');
  const inner = isSwitch ? { enum: [...choices, true, false] } : own;
  const isText = Object(own).type === 'string' && choices === undefined;
  const both = isText ? { type: ['string', 'number', 'boolean'] } : anyOf(inner, reference);
  return { ...both, ...(isShown(preset) && { default: preset }) };
}

function anyOf(...schemas: readonly object[]): object {
  return { anyOf: [...schemas, { type: 'null' }] };
}

function isShown(preset: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof preset);
}

function inputSchema(schema: z.ZodType): { readonly [name: string]: unknown } {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return rest;
}
