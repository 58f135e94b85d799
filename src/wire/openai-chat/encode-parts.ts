import { type Acceptance, fullAcceptance } from '../../kernel/acceptance.ts';
import type { Block, DocumentBlock, ImageBlock } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { contentSourceText } from '../content-source.ts';
import { foreignPartOf, untranslatableError } from '../foreign.ts';
import { urlFromMedia } from '../openai/media.ts';
import { searchResultText } from '../search-result.ts';
import { toolReferenceText } from '../tool-reference.ts';

/** What encoders need besides the content. */
export interface EncodeContext {
  readonly model: string;
  /** Whether the model's host supports Anthropic's cache markers and signed thinking. */
  readonly hostsClaude: boolean;
  readonly accepts: Acceptance;
  /** Whether the request came in this format. */
  readonly keepsOriginals: boolean;
  /** The tool call id for the provider. */
  readonly mapToolCallId: (id: string) => string;
  readonly dropped: Set<string>;
}

export function createEncodeContext(model: string, accepts: Acceptance = fullAcceptance): EncodeContext {
  const hostsClaude = isClaude(model);
  return { model, hostsClaude, accepts, keepsOriginals: true, mapToolCallId: (id) => id, dropped: new Set() };
}

/** Whether the model is Claude, by the names that hosts of several makers' models use. */
export function isClaude(model: string): boolean {
  return /claude|^anthropic\//.test(model);
}

/** Content as a string if it is only text, which every compatible provider accepts; else as parts. */
export function encodeContent(
  blocks: readonly Block[],
  encodeContext: EncodeContext,
): string | readonly JsonObject[] {
  const parts = blocks.flatMap((block) => encodePart(block, encodeContext));
  const plain = parts.every((part) => part.type === 'text' && part.cache_control === undefined);
  return plain ? parts.map((part) => part.text).join('\n\n') : parts;
}

function encodePart(block: Block, encodeContext: EncodeContext): readonly JsonObject[] {
  const marker = cacheMarkerOf(block, encodeContext);
  const foreignPart = foreignPartOf(block);
  if (foreignPart?.wire === 'openai-chat') return [foreignPart.part];
  const text = searchResultText(block);
  if (text !== undefined) return [{ type: 'text', text, ...marker }];
  switch (block.type) {
    case 'text':
      return block.text === '' ? [] : [{ type: 'text', text: block.text, ...marker }];
    case 'image':
      return [{ type: 'image_url', image_url: { url: imageUrlOf(block) }, ...marker }];
    case 'document':
      if ('citations' in block) encodeContext.dropped.add('messages[].content[].citations');
      return [{ ...documentPart(block), ...marker }];
    default: {
      const reference = toolReferenceText(block);
      if (reference !== undefined) return encodePart(reference, encodeContext);
      encodeContext.dropped.add(`messages[].content[].${foreignPart?.kind ?? block.type}`);
      return [];
    }
  }
}

export function cacheMarkerOf(block: object, { hostsClaude, dropped }: EncodeContext): JsonObject {
  if (!('cache_control' in block) || block.cache_control == null) return {};
  if (hostsClaude) return { cache_control: block.cache_control };
  dropped.add('cache_control');
  return {};
}

function imageUrlOf({ source }: ImageBlock): string {
  const url = urlFromMedia(source);
  if (url === undefined)
    throw untranslatableError('messages[].content[].image.source.file_id', 'openai-chat');
  return url;
}

function documentPart({ source, title }: DocumentBlock): JsonObject {
  const text = contentSourceText(source);
  if (text !== undefined) return { type: 'text', text: title == null ? text : `${title}\n\n${text}` };
  switch (source.type) {
    case 'base64':
      return { type: 'file', file: { filename: title ?? 'document.pdf', file_data: urlFromMedia(source) } };
    case 'file':
      return { type: 'file', file: { file_id: source.file_id } };
    case 'text':
      return { type: 'text', text: title == null ? source.data : `${title}\n\n${source.data}` };
    default:
      throw untranslatableError('messages[].content[].document.source.url', 'openai-chat');
  }
}
