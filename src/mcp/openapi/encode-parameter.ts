import { isJsonObject } from '../../lib/json.ts';
import type { Parameter } from './parameters.ts';

type Encode = (text: string) => string;
type Pair = readonly [name: string, value: string];

type Described = Pick<Parameter, 'name' | 'style' | 'explode' | 'allowReserved'>;

/** The text that takes the place of a parameter in the path, encoded. */
export function encodePathParameter(value: unknown, { name, style, explode }: Described): string {
  const encode = encodeText;
  if (style === 'json') return encode(JSON.stringify(value));
  if (style === 'matrix') {
    if (!explode) return `;${encode(name)}=${joinFlat(value, ',', encode)}`;
    return pairsOf(value, name)
      .map(([field, text]) => `;${encode(field)}=${encode(text)}`)
      .join('');
  }
  const separator = style === 'label' && explode ? '.' : ',';
  const text = joinSimple(value, { separator, explode, encode });
  return style === 'label' ? `.${text}` : text;
}

/** Pairs of a query or a form, encoded. */
export function encodeQueryParameter(value: unknown, described: Described): readonly Pair[] {
  const { name, style, explode, allowReserved } = described;
  const encode = allowReserved ? encodeUnreserved : encodeText;
  const key = encodeText(name);
  if (style === 'json') return [[key, encode(JSON.stringify(value))]];
  if (style === 'deepObject')
    return deepPairs(value, name).map(([field, text]) => [encodeText(field), encode(text)]);
  if (!isComposite(value)) return [[key, encode(textOf(value))]];
  if (explode) return pairsOf(value, name).map(([field, text]) => [encodeText(field), encode(text)]);
  if (flatList(value).length === 0) return [];
  return [[key, joinFlat(value, separators[style] ?? ',', encode)]];
}

const separators: Readonly<Partial<Record<Parameter['style'], string>>> = {
  spaceDelimited: '%20',
  pipeDelimited: '%7C',
};

/** The value of a header, as it is. */
export function encodeHeaderParameter(value: unknown, { style, explode }: Described): string {
  if (style === 'json') return JSON.stringify(value);
  return joinSimple(value, { separator: ',', explode, encode: (text) => text });
}

/** Nothing of the text has a meaning in an address. */
export function encodeText(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** Keeps reserved characters but those that end a value. */
function encodeUnreserved(text: string): string {
  return encodeURI(text.toWellFormed()).replace(/[#&+=]/g, encodeURIComponent);
}

interface JoinOptions {
  readonly separator: string;
  readonly explode: boolean;
  readonly encode: Encode;
}

function joinSimple(value: unknown, { separator, explode, encode }: JoinOptions): string {
  if (!isJsonObject(value) || !explode) return joinFlat(value, separator, encode);
  return pairsOf(value, '')
    .map(([field, text]) => `${encode(field)}=${encode(text)}`)
    .join(separator);
}

function joinFlat(value: unknown, separator: string, encode: Encode): string {
  return flatList(value).map(encode).join(separator);
}

/** The items of a list; names and values of an object in turn. */
function flatList(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.map(textOf);
  if (isJsonObject(value)) return Object.entries(value).flatMap(([field, inner]) => [field, textOf(inner)]);
  return [textOf(value)];
}

function pairsOf(value: unknown, name: string): readonly Pair[] {
  if (Array.isArray(value)) return value.map((item) => [name, textOf(item)]);
  if (isJsonObject(value)) return Object.entries(value).map(([field, inner]) => [field, textOf(inner)]);
  return [[name, textOf(value)]];
}

/** `filter[name]=a&filter[age][gt]=3&filter[tags][0]=b`: OpenAPI defines the first level, this is what APIs do with more. */
function deepPairs(value: unknown, name: string): readonly Pair[] {
  if (!isComposite(value)) return [[name, textOf(value)]];
  return Object.entries(Object(value)).flatMap(([field, inner]) => deepPairs(inner, `${name}[${field}]`));
}

function isComposite(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === null ? '' : (JSON.stringify(value) ?? '');
}
