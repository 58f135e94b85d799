import type { Block, CacheControl, MediaSource } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { ExtensionFields } from '../extension-fields.ts';
import { foreignBlock, foreignPartOf } from '../foreign.ts';
import { objectOf, objectsOf, omitUndefined, stringOf } from '../json-values.ts';
import { mediaFromUrl } from '../openai/media.ts';
import { thinkingPartText } from './reasoning.ts';

/** The content of a message as blocks. */
export function decodeContent(
  content: unknown,
  extensionFields: ExtensionFields,
  by: 'client' | 'model' = 'client',
): readonly Block[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return partsIn(content).map((part) => {
    const block = decodePart(part, extensionFields);
    // A model's part may be dropped, a client's may not.
    const kind = by === 'model' ? undefined : foreignPartOf(block)?.kind;
    if (kind !== undefined) extensionFields.essential[`messages[].content[].${kind}`] = true;
    return block;
  });
}

/** Some clients write plain strings among parts. */
function partsIn(content: unknown): readonly JsonObject[] {
  if (!Array.isArray(content)) return [];
  return objectsOf(content.map((part) => (typeof part === 'string' ? { type: 'text', text: part } : part)));
}

/** Some clients omit the type if a single field implies it. */
function typeOf(part: JsonObject): unknown {
  return (
    part.type ?? ['text', 'image_url', 'file', 'file_url', 'document_url'].find((name) => part[name] != null)
  );
}

function decodePart(part: JsonObject, extensionFields: ExtensionFields): Block {
  const marker = cacheControlOf(part);
  switch (typeOf(part)) {
    case 'text':
      return omitUndefined({ type: 'text', text: stringOf(part.text) ?? '', cache_control: marker });
    case 'refusal':
      return { type: 'text', text: stringOf(part.refusal) ?? '' };
    case 'thinking':
      return { type: 'thinking', thinking: thinkingPartText(part) };
    case 'image_url': {
      const image = objectOf(part.image_url);
      const url = stringOf(image?.url) ?? stringOf(part.image_url);
      if (url === undefined) break;
      if (image?.detail !== undefined && image.detail !== 'auto')
        extensionFields.optional['messages[].content[].image_url.detail'] = true;
      return omitUndefined({ type: 'image', source: mediaFromUrl(url), cache_control: marker });
    }
    case 'file': {
      const file = objectOf(part.file);
      const source = fileSourceOf(file ?? {});
      if (source === undefined) break;
      return omitUndefined({
        type: 'document',
        source,
        title: stringOf(file?.filename),
        cache_control: marker,
      });
    }
    case 'document_url':
    case 'file_url': {
      const source = part.document_url ?? part.file_url;
      const url = stringOf(source) ?? stringOf(objectOf(source)?.url);
      if (url === undefined) break;
      return omitUndefined({
        type: 'document',
        source: mediaFromUrl(url),
        title: stringOf(part.document_name),
      });
    }
  }
  return foreignBlock('openai-chat', part);
}

function fileSourceOf(file: JsonObject): MediaSource | undefined {
  const data = stringOf(file.file_data);
  if (data !== undefined) return mediaFromUrl(data);
  const id = stringOf(file.file_id);
  return id === undefined ? undefined : { type: 'file', file_id: id, from: 'openai-chat' };
}

/** Hosts of Claude models accept Anthropic's cache markers in this format too. */
export function cacheControlOf(part: JsonObject): CacheControl | undefined {
  const marker = objectOf(part.cache_control);
  if (marker?.type !== 'ephemeral') return undefined;
  return marker.ttl === '1h' ? { type: 'ephemeral', ttl: '1h' } : { type: 'ephemeral' };
}
