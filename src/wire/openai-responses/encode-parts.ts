import type { Block, DocumentBlock, ImageBlock } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { contentSourceText } from '../content-source.ts';
import { foreignPartOf, untranslatableError } from '../foreign.ts';
import { omitUndefined } from '../json-values.ts';
import { urlFromMedia } from '../openai/media.ts';
import { searchResultText } from '../search-result.ts';
import { toolReferenceText } from '../tool-reference.ts';

/** User or tool content: a string if it is one text, else parts. */
export function encodeContent(
  blocks: readonly Block[],
  dropped: Set<string>,
): string | readonly JsonObject[] {
  const parts = blocks.flatMap((block) => encodePart(block, dropped));
  const [only] = parts;
  if (parts.length === 0) return '';
  return parts.length === 1 && only?.type === 'input_text' ? String(only.text) : parts;
}

function encodePart(block: Block, dropped: Set<string>): readonly JsonObject[] {
  if ('cache_control' in block && block.cache_control != null) dropped.add('cache_control');
  const foreignPart = foreignPartOf(block);
  if (foreignPart?.wire === 'openai-responses') return [foreignPart.part];
  const text = searchResultText(block);
  if (text !== undefined) return [{ type: 'input_text', text }];
  switch (block.type) {
    case 'text':
      return block.text === '' ? [] : [{ type: 'input_text', text: block.text }];
    case 'image':
      return [imagePart(block)];
    case 'document':
      if ('citations' in block) dropped.add('messages[].content[].citations');
      return [documentPart(block)];
    default: {
      const reference = toolReferenceText(block);
      if (reference !== undefined) return encodePart(reference, dropped);
      dropped.add(`messages[].content[].${foreignPart?.kind ?? block.type}`);
      return [];
    }
  }
}

function imagePart({ source }: ImageBlock): JsonObject {
  if (source.type === 'file') return { type: 'input_image', file_id: source.file_id, detail: 'auto' };
  return { type: 'input_image', image_url: urlFromMedia(source), detail: 'auto' };
}

function documentPart({ source, title }: DocumentBlock): JsonObject {
  const filename = title ?? undefined;
  const text = contentSourceText(source);
  if (text !== undefined)
    return { type: 'input_text', text: filename === undefined ? text : `${filename}\n\n${text}` };
  switch (source.type) {
    case 'base64':
      return { type: 'input_file', filename: filename ?? 'document.pdf', file_data: urlFromMedia(source) };
    case 'url':
      return omitUndefined({ type: 'input_file', file_url: source.url, filename });
    case 'text':
      return {
        type: 'input_text',
        text: filename === undefined ? source.data : `${filename}\n\n${source.data}`,
      };
    case 'file':
      return { type: 'input_file', file_id: source.file_id };
    default:
      throw untranslatableError('messages[].content[].document.source', 'openai-responses');
  }
}
