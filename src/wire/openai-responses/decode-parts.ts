import type { Block, MediaSource, Message } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { ExtensionFields } from '../extension-fields.ts';
import { foreignBlock, foreignPartOf } from '../foreign.ts';
import { objectsOf, omitUndefined, stringOf } from '../json-values.ts';
import { mediaFromUrl } from '../openai/media.ts';

/** The content of a message or the output of a tool as blocks. */
export function decodeContent(
  content: unknown,
  extensionFields: ExtensionFields,
  by: Message['role'] = 'user',
): readonly Block[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return objectsOf(content).map((part) => {
    const block = decodePart(part, extensionFields);
    // A model's part may be dropped, a client's may not.
    const kind = by === 'assistant' ? undefined : foreignPartOf(block)?.kind;
    if (kind !== undefined) extensionFields.essential[`input[].content[].${kind}`] = true;
    return block;
  });
}

function decodePart(part: JsonObject, extensionFields: ExtensionFields): Block {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return { type: 'text', text: stringOf(part.text) ?? '' };
    case 'refusal':
      return { type: 'text', text: stringOf(part.refusal) ?? '' };
    case 'input_image': {
      const source = sourceOf(part.image_url, part.file_id);
      if (source === undefined) break;
      if (part.detail != null && part.detail !== 'auto')
        extensionFields.optional['input[].content[].detail'] = true;
      return { type: 'image', source };
    }
    case 'input_file': {
      const source = sourceOf(part.file_data ?? part.file_url, part.file_id);
      if (source === undefined) break;
      return omitUndefined({ type: 'document', source, title: stringOf(part.filename) });
    }
  }
  return foreignBlock('openai-responses', part);
}

function sourceOf(url: unknown, fileId: unknown): MediaSource | undefined {
  if (typeof url === 'string') return mediaFromUrl(url);
  return typeof fileId === 'string' ? { type: 'file', file_id: fileId, from: 'openai-responses' } : undefined;
}
