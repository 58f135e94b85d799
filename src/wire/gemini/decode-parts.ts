import type { JsonObject } from '../../kernel/json.ts';
import type { Block, ToolResultBlock } from '../../kernel/message.ts';
import type { ExtensionFields } from '../extension-fields.ts';
import { foreignBlock } from '../foreign.ts';
import { objectOf, stringOf } from '../json-values.ts';
import { objectListIn, readField, toCamelCase } from './fields.ts';

/** A picture, a document, or what else may be inside of a part; undefined where that is nothing of the kind. */
export function decodeMedia(part: JsonObject): Block | undefined {
  const inline = objectOf(readField(part, 'inlineData'));
  const data = stringOf(inline?.data);
  if (inline !== undefined && data !== undefined) {
    const media_type = stringOf(readField(inline, 'mimeType')) ?? '';
    // Text in a file is text to those who take no files.
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

/** Sound and moving pictures have no name elsewhere. */
function mediaBlock(type: string, source: MediaBlockSource): Block | undefined {
  if (type.startsWith('image/')) return { type: 'image', source };
  if (/^(audio|video)\//.test(type)) return undefined;
  return { type: 'document', source };
}

/** Films that everybody can see are named by their address alone. */
function typeOfFile(file: JsonObject, uri: string): string {
  const isFilm = /^https?:\/\/(www\.|m\.)?(youtube\.com|youtu\.be)\//.test(uri);
  return isFilm ? 'video/*' : (stringOf(readField(file, 'mimeType')) ?? '');
}

/** Whether others can fetch it; what was uploaded somewhere has a name there. */
function isPublicUrl(uri: string): boolean {
  return /^https?:\/\//.test(uri) && !uri.startsWith('https://generativelanguage.googleapis.com/');
}

/** What no other format has; `by` says whether it may be left out. */
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
  // What a model said may be lost, what it is asked may not.
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

/** What a function returned: `output` and `error` are names that Google gives a meaning, all else is as it is. */
export function decodeResult(
  response: JsonObject,
  id: string,
  extensionFields: ExtensionFields,
): ToolResultBlock {
  const told = objectOf(response.response) ?? { output: response.response ?? {} };
  const names = Object.keys(told);
  const failed = names.length === 1 && told.error !== undefined;
  const said =
    names.length === 1 && (failed || told.output !== undefined) ? (told.error ?? told.output) : told;
  const text = typeof said === 'string' ? said : JSON.stringify(said);
  const media = objectListIn(response, 'parts').flatMap((part) => {
    const block = decodeMedia(part);
    return block === undefined ? decodeForeignPart(part, extensionFields, 'client') : [block];
  });
  const content: ToolResultBlock['content'] =
    media.length === 0 ? text : [...(text === '' ? [] : [{ type: 'text', text } as const]), ...media];
  return { type: 'tool_result', tool_use_id: id, content, ...(failed && { is_error: true }) };
}
