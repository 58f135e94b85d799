import type { ChatRequest, OutputFormat } from '../../kernel/message.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { objectOf, objectsOf, stringOf } from '../json-values.ts';
import { outputFormatOf } from '../output-format.ts';

/** One format or a list of them, one for each kind of output. */
function formatsIn({ response_format }: JsonObject): readonly JsonObject[] {
  return isJsonObject(response_format) ? [response_format] : objectsOf(response_format);
}

/** The kinds of output other than text. */
export function mediaFormatsOf(body: JsonObject): readonly string[] {
  return formatsIn(body).flatMap(({ type }) =>
    type === 'audio' || type === 'image' || type === 'video' ? [type] : [],
  );
}

/** The format of the text. Where it has no type of output, it is the schema itself. */
export function decodeFormat(body: JsonObject): OutputFormat | undefined {
  const formats = formatsIn(body);
  const text = formats.find(({ type }) => type === 'text');
  if (text !== undefined) {
    const schema = objectOf(text.schema);
    if (schema !== undefined) return { type: 'json_schema', schema };
    return isJson(text.mime_type ?? body.response_mime_type) ? { type: 'json_object' } : undefined;
  }
  const schema = formats.find(({ type }) => !mediaTypes.has(type));
  if (schema !== undefined) return { type: 'json_schema', schema };
  return isJson(body.response_mime_type) ? { type: 'json_object' } : undefined;
}

const mediaTypes: ReadonlySet<unknown> = new Set(['audio', 'image', 'video']);

function isJson(mimeType: unknown): boolean {
  return stringOf(mimeType) === 'application/json';
}

export function encodeFormat(request: ChatRequest): JsonObject | undefined {
  const format = outputFormatOf(request);
  if (format === undefined) return undefined;
  const text = { type: 'text', mime_type: 'application/json' };
  return format.type === 'json_object' ? text : { ...text, schema: format.schema ?? {} };
}
