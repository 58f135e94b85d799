import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { OperationFault } from './operation-fault.ts';
import { isJsonType, type ParameterStyle } from './parameters.ts';
import type { References } from './references.ts';

type BodyKind = 'json' | 'form' | 'multipart' | 'text' | 'binary';

/** How the argument of the body is written into a request. */
export interface BodyPlan {
  readonly kind: BodyKind;
  readonly mediaType: string;
  readonly isRequired: boolean;
  readonly schema: unknown;
  readonly description: string | undefined;
  /** How fields of a form are written, if the document says so. */
  readonly fields: ReadonlyMap<string, FieldEncoding>;
}

export interface FieldEncoding {
  readonly style: ParameterStyle | undefined;
  readonly explode: boolean;
  readonly contentType: string | undefined;
  /** The argument is Base64 of a file. */
  readonly isBinary: boolean;
}

/** Undefined for an operation without a body, or with an optional one that can't be sent. */
export function readBody(body: unknown, references: References): BodyPlan | undefined {
  if (body === undefined) return undefined;
  const { content, required, description } = references.resolve(body);
  const types = isJsonObject(content) ? Object.entries(content) : [];
  const [best] = types
    .flatMap(([mediaType, media]) => {
      const kind = kindOf(mediaType);
      return kind === undefined ? [] : [{ kind, mediaType, media }];
    })
    .sort((one, other) => preference.indexOf(one.kind) - preference.indexOf(other.kind));
  if (best === undefined) {
    if (required !== true || types.length === 0) return undefined;
    throw new OperationFault(
      `its request body is ${types
        .map(([type]) => type)
        .join(' or ')
        .slice(0, 200)}`,
    );
  }
  const { kind, mediaType, media } = best;
  const { schema, encoding } = isJsonObject(media) ? media : {};
  return {
    kind,
    mediaType: mediaType.includes('*') ? standardTypes[kind] : mediaType,
    isRequired: required === true,
    schema,
    description: typeof description === 'string' ? description : undefined,
    fields: readFields(schema, isJsonObject(encoding) ? encoding : {}, references),
  };
}

const preference: readonly BodyKind[] = ['json', 'form', 'multipart', 'text', 'binary'];

const standardTypes = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
  text: 'text/plain',
  binary: 'application/octet-stream',
} as const;

function kindOf(mediaType: string): BodyKind | undefined {
  const [type = ''] = mediaType.toLowerCase().split(';', 1);
  if (isJsonType(type) || type === '*/*' || type === 'application/*') return 'json';
  if (type === standardTypes.form) return 'form';
  if (type === standardTypes.multipart) return 'multipart';
  if (type.startsWith('text/')) return 'text';
  const isFile = type === standardTypes.binary || fileTypes.some((prefix) => type.startsWith(prefix));
  return isFile ? 'binary' : undefined;
}

const fileTypes = ['image/', 'audio/', 'video/', 'application/zip', 'application/gzip', 'application/pdf'];

function readFields(
  schema: unknown,
  encoding: JsonObject,
  references: References,
): ReadonlyMap<string, FieldEncoding> {
  const resolved = isJsonObject(schema) ? references.resolve(schema) : {};
  const properties = isJsonObject(resolved.properties) ? Object.entries(resolved.properties) : [];
  return new Map(
    properties.map(([name, property]) => [
      name,
      readField(property, Object.hasOwn(encoding, name) ? encoding[name] : {}, references),
    ]),
  );
}

function readField(property: unknown, encoding: unknown, references: References): FieldEncoding {
  const { style, explode, contentType } = isJsonObject(encoding) ? encoding : {};
  const known = formStyles.find((one) => one === style);
  return {
    style: known,
    explode:
      typeof explode === 'boolean'
        ? explode
        : known === undefined || known === 'form' || known === 'deepObject',
    contentType: typeof contentType === 'string' ? contentType.split(',', 1)[0]?.trim() : undefined,
    isBinary: isBinarySchema(property, references),
  };
}

const formStyles = ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'] as const;

/** Also for a list of files. */
function isBinarySchema(schema: unknown, references: References): boolean {
  if (!isJsonObject(schema)) return false;
  const { format, contentEncoding, contentMediaType, items } = references.resolve(schema);
  if (format === 'binary' || contentEncoding === 'base64') return true;
  if (
    typeof contentMediaType === 'string' &&
    !contentMediaType.startsWith('text/') &&
    !isJsonType(contentMediaType)
  )
    return true;
  return items !== undefined && isBinarySchema(items, references);
}
