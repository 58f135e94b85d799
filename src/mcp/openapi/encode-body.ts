import { isJsonObject } from '../../lib/json.ts';
import { CallFault } from './call-fault.ts';
import { encodeQueryParameter, textOf } from './encode-parameter.ts';
import { limits } from './limits.ts';
import { isJsonType } from './parameters.ts';
import type { BodyPlan, FieldEncoding } from './request-body.ts';

export interface EncodedBody {
  readonly body: string | Uint8Array | FormData;
  /** Undefined for a form in parts, whose type names its boundary. */
  readonly contentType: string | undefined;
}

/** The body of a request from the argument of a call. */
export function encodeBody(value: unknown, plan: BodyPlan): EncodedBody {
  const { kind, mediaType } = plan;
  if (kind === 'multipart') return { body: encodeParts(value, plan), contentType: undefined };
  const body = kind === 'binary' ? decodeBase64('body', value) : encodeAsText(value, plan);
  if (Buffer.byteLength(body) > limits.requestBytesMax) throw tooLarge();
  return { body, contentType: mediaType };
}

function encodeAsText(value: unknown, { kind, fields }: BodyPlan): string {
  if (kind === 'json') return JSON.stringify(value);
  return kind === 'form' ? encodeForm(value, fields) : textOf(value);
}

function encodeForm(value: unknown, fields: BodyPlan['fields']): string {
  const pairs = fieldsOf(value).flatMap(([name, field]) => encodeField(name, field, fields.get(name)));
  return pairs.map(([name, text]) => `${name}=${text}`).join('&');
}

/** An object is JSON, unless the document says how it is written. */
function encodeField(name: string, value: unknown, encoding: FieldEncoding | undefined) {
  const { style, explode = true, contentType } = encoding ?? {};
  const isJson =
    contentType === undefined ? style === undefined && isJsonObject(value) : isJsonType(contentType);
  return encodeQueryParameter(value, {
    name,
    style: isJson ? 'json' : (style ?? 'form'),
    explode,
    allowReserved: false,
  });
}

function encodeParts(value: unknown, { fields }: BodyPlan): FormData {
  const form = new FormData();
  let bytes = 0;
  for (const [name, field] of fieldsOf(value)) {
    const encoding = fields.get(name);
    for (const item of Array.isArray(field) ? field : [field]) {
      const part = encodePart(name, item, encoding);
      bytes += typeof part === 'string' ? Buffer.byteLength(part) : part.size;
      if (bytes > limits.requestBytesMax) throw tooLarge();
      if (typeof part === 'string') form.append(name, part);
      else form.append(name, part, name);
    }
  }
  return form;
}

function encodePart(name: string, value: unknown, encoding: FieldEncoding | undefined): string | Blob {
  const { contentType, isBinary = false } = encoding ?? {};
  if (isBinary)
    return new Blob([decodeBase64(name, value)], { type: contentType ?? 'application/octet-stream' });
  const isJson = contentType === undefined ? typeof value === 'object' : isJsonType(contentType);
  if (isJson) return new Blob([JSON.stringify(value)], { type: contentType ?? 'application/json' });
  return contentType === undefined ? textOf(value) : new Blob([textOf(value)], { type: contentType });
}

function fieldsOf(value: unknown): readonly (readonly [string, unknown])[] {
  if (!isJsonObject(value)) throw new CallFault('the body must be an object, since it is sent as a form');
  return Object.entries(value).filter(([, field]) => field !== undefined && field !== null);
}

function decodeBase64(name: string, value: unknown): Uint8Array<ArrayBuffer> {
  const text = typeof value === 'string' ? value.replaceAll('\n', '') : '';
  const bytes = Uint8Array.from(Buffer.from(text, 'base64'));
  // Node.js skips what is no Base64.
  if (text === '' || Buffer.from(bytes).toString('base64').replaceAll('=', '') !== text.replaceAll('=', ''))
    throw new CallFault(`"${name}" must be Base64`);
  return bytes;
}

function tooLarge(): CallFault {
  return new CallFault(`the arguments make a request of more than ${limits.requestBytesMax} bytes`);
}
