import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { OperationFault } from './operation-fault.ts';
import type { References } from './references.ts';

type ParameterPlace = 'path' | 'query' | 'header' | 'cookie';
export type ParameterStyle =
  | 'simple'
  | 'label'
  | 'matrix'
  | 'form'
  | 'spaceDelimited'
  | 'pipeDelimited'
  | 'deepObject'
  /** The value as JSON. */
  | 'json';

/** How an argument is written into a request. */
export interface Parameter {
  readonly place: ParameterPlace;
  readonly name: string;
  readonly style: ParameterStyle;
  readonly explode: boolean;
  readonly allowReserved: boolean;
  readonly isRequired: boolean;
  readonly schema: unknown;
  readonly description: string | undefined;
}

/** The parameters of an operation: its own replace those of its path. Throws for one that can't be sent. */
export function readParameters(lists: readonly unknown[], references: References): readonly Parameter[] {
  const parameters = new Map<string, Parameter>();
  for (const list of lists) {
    if (!Array.isArray(list)) continue;
    for (const item of list) {
      const parameter = readParameter(references.resolve(item));
      if (parameter !== undefined) parameters.set(`${parameter.place} ${parameter.name}`, parameter);
    }
  }
  return [...parameters.values()];
}

function readParameter(described: JsonObject): Parameter | undefined {
  const { in: place, name, required, description, allowReserved, schema, content } = described;
  if (typeof name !== 'string' || name === '') throw new OperationFault('one of its parameters has no name');
  if (!isPlace(place)) throw new OperationFault(`its parameter "${name}" is in "${place}"`);
  if (place === 'header' && isReservedHeader(name)) return undefined;
  const [[mediaType, media] = []] = isJsonObject(content) ? Object.entries(content) : [];
  return {
    place,
    name,
    ...(mediaType === undefined
      ? readStyle(described, place)
      : { style: contentStyle(mediaType), explode: false }),
    allowReserved: allowReserved === true,
    isRequired: required === true || place === 'path',
    schema: mediaType === undefined ? schema : isJsonObject(media) ? media.schema : undefined,
    description: typeof description === 'string' ? description : undefined,
  };
}

function isPlace(place: unknown): place is ParameterPlace {
  return place === 'path' || place === 'query' || place === 'header' || place === 'cookie';
}

/** OpenAPI tells tools to ignore the first three; the others belong to the connection or to credentials. */
function isReservedHeader(name: string): boolean {
  return reservedHeaders.has(name.toLowerCase()) || name.toLowerCase().startsWith('proxy-');
}

const reservedHeaders = new Set([
  'accept',
  'authorization',
  'content-type',
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const stylesOf: Readonly<Record<ParameterPlace, readonly ParameterStyle[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
};

function readStyle(
  { name, style: written, explode }: JsonObject,
  place: ParameterPlace,
): Pick<Parameter, 'style' | 'explode'> {
  const [standard = 'simple'] = stylesOf[place];
  const style = written === undefined ? standard : stylesOf[place].find((known) => known === written);
  if (style === undefined) throw new OperationFault(`its parameter "${name}" has the style "${written}"`);
  return {
    style,
    explode: typeof explode === 'boolean' ? explode : style === 'form' || style === 'deepObject',
  };
}

function contentStyle(mediaType: string): ParameterStyle {
  if (isJsonType(mediaType)) return 'json';
  if (mediaType.startsWith('text/')) return 'simple';
  throw new OperationFault(`one of its parameters is ${mediaType}`);
}

export function isJsonType(mediaType: string): boolean {
  const type = (mediaType.split(';', 1)[0] ?? '').trim().toLowerCase();
  return type === 'application/json' || type === 'text/json' || type.endsWith('+json');
}
