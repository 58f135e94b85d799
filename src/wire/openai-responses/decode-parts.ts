import type { JsonObject } from '../../kernel/json.ts';
import type { Block, MediaSource, Message } from '../../kernel/message.ts';
import { foreignBlock, foreignOf } from '../foreign.ts';
import type { Losses } from '../losses.ts';
import { mediaFromUrl } from '../openai/media.ts';
import { defined, objectsOf, stringOf } from '../read.ts';

/** The content of a message, or the output of a tool, as blocks. */
export function decodeContent(
  content: unknown,
  losses: Losses,
  by: Message['role'] = 'user',
): readonly Block[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return objectsOf(content).map((part) => {
    const block = decodePart(part, losses);
    // What a model said may be lost, what it is asked may not.
    const kind = by === 'assistant' ? undefined : foreignOf(block)?.kind;
    if (kind !== undefined) losses.essential[`input[].content[].${kind}`] = true;
    return block;
  });
}

function decodePart(part: JsonObject, losses: Losses): Block {
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
      if (part.detail != null && part.detail !== 'auto') losses.optional['input[].content[].detail'] = true;
      return { type: 'image', source };
    }
    case 'input_file': {
      const source = sourceOf(part.file_data ?? part.file_url, part.file_id);
      if (source === undefined) break;
      return defined({ type: 'document', source, title: stringOf(part.filename) });
    }
  }
  return foreignBlock('openai-responses', part);
}

function sourceOf(url: unknown, fileId: unknown): MediaSource | undefined {
  if (typeof url === 'string') return mediaFromUrl(url);
  return typeof fileId === 'string' ? { type: 'file', file_id: fileId, from: 'openai-responses' } : undefined;
}
