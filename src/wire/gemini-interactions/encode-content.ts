import type { Block, DocumentBlock, ImageBlock, MediaSource } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { foreignPartOf, untranslatableError } from '../foreign.ts';
import { documentTextOf, mimeTypeOf } from '../gemini/encode-parts.ts';
import { searchResultText } from '../search-result.ts';
import { toolReferenceText } from '../tool-reference.ts';
import { isContent } from './decode-content.ts';

/** Blocks that both roles may have, as the content of a step. */
export function encodeContent(blocks: readonly Block[], dropped: Set<string>): readonly JsonObject[] {
  return blocks.flatMap((block) => encodePart(block, dropped));
}

function encodePart(block: Block, dropped: Set<string>): readonly JsonObject[] {
  if ('cache_control' in block && block.cache_control != null) dropped.add('cache_control');
  const own = ownPartOf(block);
  if (own !== undefined && isContent(own)) return [own];
  const text = searchResultText(block) ?? toolReferenceText(block)?.text;
  if (text !== undefined) return [textPart(text)];
  switch (block.type) {
    case 'text':
      return block.text === '' ? [] : [textPart(block.text)];
    case 'image':
      return [imagePart(block)];
    case 'document':
      if ('citations' in block) dropped.add('messages[].content[].citations');
      return [documentPart(block)];
    default:
      dropped.add(`messages[].content[].${foreignPartOf(block)?.kind ?? block.type}`);
      return [];
  }
}

/** The step or content that a block was decoded from, if only this format has its kind. */
export function ownPartOf(block: unknown): JsonObject | undefined {
  const foreignPart = foreignPartOf(block);
  return foreignPart?.wire === 'gemini-interactions' ? foreignPart.part : undefined;
}

export function textPart(text: string): JsonObject {
  return { type: 'text', text };
}

function imagePart({ source }: ImageBlock): JsonObject {
  return { type: 'image', ...mediaFields(source, 'image/jpeg') };
}

function documentPart(block: DocumentBlock): JsonObject {
  const text = documentTextOf(block);
  return text === undefined
    ? { type: 'document', ...mediaFields(block.source, 'application/pdf') }
    : textPart(text);
}

function mediaFields(source: MediaSource, fallback: string): JsonObject {
  switch (source.type) {
    case 'base64':
      return { data: source.data, mime_type: source.media_type };
    case 'text':
      return { data: Buffer.from(source.data).toString('base64'), mime_type: source.media_type };
    case 'url':
      return { uri: source.url, mime_type: mimeTypeOf(source.url, fallback) };
    case 'file':
      return { uri: source.file_id, mime_type: mimeTypeOf(source.file_id, fallback) };
    default:
      throw untranslatableError('messages[].content[].document.source', 'gemini-interactions');
  }
}
