import type { Block, ToolResultBlock } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { ExtensionFields } from '../extension-fields.ts';
import { foreignBlock } from '../foreign.ts';
import { objectOf, stringOf } from '../json-values.ts';
import { objectListIn, readField, toCamelCase } from './fields.ts';

/** A part with media as a block; undefined for other parts. */
export function decodeMedia(part: JsonObject): Block | undefined {
  const inline = objectOf(readField(part, 'inlineData'));
  const data = stringOf(inline?.data);
  if (inline !== undefined && data !== undefined) {
    const media_type = stringOf(readField(inline, 'mimeType')) ?? '';
    // Formats without files get a text file as text.
    if (media_type.startsWith('text/'))
      return { type: 'document', source: { type: 'text', media_type, data: decodeBase64Text(data) } };
    return mediaBlock(media_type, { type: 'base64', media_type, data });
  }
  const file = objectOf(readField(part, 'fileData'));
  const uri = file === undefined ? undefined : stringOf(readField(file, 'fileUri'));
  if (file === undefined || uri === undefined) return undefined;
  const type = typeOfFile(file, uri);
  return mediaBlock(
    type,
    isPublicUrl(uri) ? { type: 'url', url: uri } : { type: 'file', file_id: uri, from: 'gemini' },
  );
}

function decodeBase64Text(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8');
}

type MediaBlockSource = Extract<Block, { type: 'image' }>['source'];

/** Other formats have no audio or video blocks. */
function mediaBlock(type: string, source: MediaBlockSource): Block | undefined {
  if (type.startsWith('image/')) return { type: 'image', source };
  if (/^(audio|video)\//.test(type)) return undefined;
  return { type: 'document', source };
}

/** Public videos have only a URL and no type. */
function typeOfFile(file: JsonObject, uri: string): string {
  const isFilm = /^https?:\/\/(www\.|m\.)?(youtube\.com|youtu\.be)\//.test(uri);
  return isFilm ? 'video/*' : (stringOf(readField(file, 'mimeType')) ?? '');
}

/** Whether other providers can fetch it; an uploaded file is only known to its provider. */
export function isPublicUrl(uri: string): boolean {
  return /^https?:\/\//.test(uri) && !uri.startsWith('https://generativelanguage.googleapis.com/');
}

/** A part that no other format supports; `by` decides whether it may be dropped. */
export function decodeForeignPart(
  part: JsonObject,
  extensionFields: ExtensionFields,
  by: 'client' | 'model',
): readonly Block[] {
  const written = Object.keys(part).find(
    (name) => part[name] != null && !metadataFields.has(toCamelCase(name)),
  );
  if (written === undefined) return [];
  const kind = mediaKind(part) ?? toCamelCase(written);
  // A model's part may be dropped, a client's may not.
  if (by === 'client') extensionFields.essential[`contents[].parts[].${kind}`] = true;
  return [foreignBlock('gemini', part, kind)];
}

const metadataFields: ReadonlySet<string> = new Set([
  'thought',
  'thoughtSignature',
  'videoMetadata',
  'partMetadata',
]);

function mediaKind(part: JsonObject): string | undefined {
  const media = objectOf(readField(part, 'inlineData')) ?? objectOf(readField(part, 'fileData'));
  if (media === undefined) return undefined;
  return typeOfFile(media, stringOf(readField(media, 'fileUri')) ?? '').split('/')[0] || undefined;
}

/** A function's result: Google defines `output` and `error`; anything else stays as it is. */
export function decodeResult(
  response: JsonObject,
  id: string,
  extensionFields: ExtensionFields,
): ToolResultBlock {
  const result = objectOf(response.response) ?? { output: response.response ?? {} };
  const names = Object.keys(result);
  const failed = names.length === 1 && result.error !== undefined;
  const output =
    names.length === 1 && (failed || result.output !== undefined) ? (result.error ?? result.output) : result;
  const text = typeof output === 'string' ? output : JSON.stringify(output);
  const media = objectListIn(response, 'parts').flatMap((part) => {
    const block = decodeMedia(part);
    return block === undefined ? decodeForeignPart(part, extensionFields, 'client') : [block];
  });
  const content: ToolResultBlock['content'] =
    media.length === 0 ? text : [...(text === '' ? [] : [{ type: 'text', text } as const]), ...media];
  return { type: 'tool_result', tool_use_id: id, content, ...(failed && { is_error: true }) };
}
