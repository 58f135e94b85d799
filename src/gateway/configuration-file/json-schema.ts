import { z } from 'zod';
import type { SettingPlace } from '../../lib/settings.ts';
import { createPlaceTree, type PlaceTree } from './place-tree.ts';

export const schemaAddress = 'https://unpkg.com/weir-gateway/dist/weir.schema.json';

/** The JSON Schema of the configuration file, with which editors complete and check it. */
export function configurationSchema(places: readonly SettingPlace[]): object {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: schemaAddress,
    title: 'The configuration of Weir',
    ...schemaOf(createPlaceTree(places), { $schema: { type: 'string' } }),
  };
}

function schemaOf({ children, places: [place] }: PlaceTree, more: object = {}): object {
  if (place !== undefined) return { description: place.variable, ...valueSchema(place) };
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
          open === undefined ? schemaOf(child) : schemaOf(merge(open, child)),
        ]),
      ),
    },
    additionalProperties: open === undefined ? false : schemaOf(open),
  };
}

function merge(one: PlaceTree, other: PlaceTree): PlaceTree {
  return {
    children: new Map([...other.children, ...one.children]),
    places: [...one.places, ...other.places],
  };
}

/** Texts are allowed everywhere: they may have references. */
function valueSchema({ form, schema, document }: SettingPlace): object {
  const text = { type: 'string' };
  if (form === 'list') return anyOf({ type: 'array', items: { type: ['string', 'number', 'object'] } }, text);
  if (form === 'map' || form === 'headers')
    return anyOf({ type: 'object', additionalProperties: { type: ['string', 'number', 'boolean'] } }, text);
  if (form === 'document' || form === 'keys')
    return anyOf(document === undefined ? { type: 'object' } : inputSchema(document), text);
  const { default: preset, ...own } = inputSchema(schema);
  const { enum: choices } = own;
  const isSwitch = Array.isArray(choices) && choices.includes('on');
  const inner = isSwitch ? { enum: [...choices, true, false] } : own;
  const isText = Object(own).type === 'string' && choices === undefined;
  const both = isText ? { type: ['string', 'number', 'boolean'] } : anyOf(inner, reference);
  return { ...both, ...(isShown(preset) && { default: preset }) };
}

/** `${PORT:-3099}` */
const reference = { type: 'string', pattern: '\\$\\{|^(file|exec):' };

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
