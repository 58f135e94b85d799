import type { Block, DocumentBlock, MediaSource } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { contentSourceText } from '../content-source.ts';
import { foreignPartOf, untranslatableError } from '../foreign.ts';
import { searchResultText } from '../search-result.ts';
import { toolReferenceText } from '../tool-reference.ts';
import type { ModelCapabilities } from './model-capabilities.ts';

/** What encoders need besides the content. */
export interface EncodeContext {
  readonly model: string;
  readonly generation: ModelCapabilities;
  /** The function name of a call id. */
  readonly functionNameOf: (callId: string) => string;
  readonly dropped: Set<string>;
}

/** A block that both roles may have, as parts. */
export function encodePart(block: Block, { dropped }: Pick<EncodeContext, 'dropped'>): readonly JsonObject[] {
  if ('cache_control' in block && block.cache_control != null) dropped.add('cache_control');
  const foreignPart = foreignPartOf(block);
  if (foreignPart?.wire === 'gemini' && !metadataKinds.has(foreignPart.kind)) return [foreignPart.part];
  const text = searchResultText(block) ?? toolReferenceText(block)?.text;
  if (text !== undefined) return [{ text }];
  switch (block.type) {
    case 'text':
      return block.text === '' ? [] : [{ text: block.text }];
    case 'image':
      return [mediaPart(block.source, 'image/jpeg')];
    case 'document':
      if ('citations' in block) dropped.add('messages[].content[].citations');
      return [documentPart(block)];
    default:
      dropped.add(`messages[].content[].${foreignPart?.kind ?? block.type}`);
      return [];
  }
}

/** Reply metadata outside of the parts. */
const metadataKinds: ReadonlySet<string> = new Set(['groundingMetadata', 'urlContextMetadata']);

function documentPart(block: DocumentBlock): JsonObject {
  const text = documentTextOf(block);
  return text === undefined ? mediaPart(block.source, 'application/pdf') : { text };
}

/** The text of a document with its title; undefined if it isn't text. */
export function documentTextOf({ source, title }: DocumentBlock): string | undefined {
  const text = textOf(source);
  return text === undefined || title == null ? text : `${title}\n\n${text}`;
}

function textOf(source: MediaSource): string | undefined {
  if (source.type === 'text') return source.data;
  const content = contentSourceText(source);
  if (content !== undefined) return content;
  const isText = source.type === 'base64' && source.media_type.startsWith('text/');
  return isText ? Buffer.from(source.data, 'base64').toString('utf8') : undefined;
}

/** A URL needs a type: taken from its extension, else the default of its kind. */
function mediaPart(source: MediaSource, fallback: string): JsonObject {
  switch (source.type) {
    case 'base64':
      return { inlineData: { mimeType: source.media_type, data: source.data } };
    case 'text':
      return {
        inlineData: { mimeType: source.media_type, data: Buffer.from(source.data).toString('base64') },
      };
    case 'url':
      return { fileData: { mimeType: mimeTypeOf(source.url, fallback), fileUri: source.url } };
    case 'file':
      return { fileData: { mimeType: mimeTypeOf(source.file_id, fallback), fileUri: source.file_id } };
    default:
      throw untranslatableError('messages[].content[].document.source', 'gemini');
  }
}

/** Looks at the path's extension, not the host's; an image is always an image. */
export function mimeTypeOf(address: string, fallback: string): string {
  const path = address.replace(/^\w+:\/\/[^/?#]*/, '').replace(/[?#].*/s, '');
  const [, ending = ''] = /\.([a-z\d]+)$/i.exec(path) ?? [];
  const mimeType = mimeTypeByExtension.get(ending.toLowerCase()) ?? fallback;
  return fallback.startsWith('image/') && !mimeType.startsWith('image/') ? fallback : mimeType;
}

const mimeTypeByExtension: ReadonlyMap<string, string> = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['webp', 'image/webp'],
  ['gif', 'image/gif'],
  ['heic', 'image/heic'],
  ['heif', 'image/heif'],
  ['pdf', 'application/pdf'],
  ['txt', 'text/plain'],
  ['md', 'text/markdown'],
  ['csv', 'text/csv'],
  ['html', 'text/html'],
  ['json', 'application/json'],
]);
