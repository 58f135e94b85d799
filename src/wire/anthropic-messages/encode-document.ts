import type { Block, DocumentBlock } from '../../kernel/message.ts';
import { untranslatableError } from '../foreign.ts';
import { isTextType } from '../texts/media-texts.ts';

/** A document as PDF or plain text, or an image block for a picture. */
export function encodeDocument(block: DocumentBlock): Block {
  const { source } = block;
  if (source.type === 'text') return { ...block, source: { ...source, media_type: 'text/plain' } };
  if (source.type !== 'base64' || source.media_type === 'application/pdf') return block;
  const { media_type: type, data } = source;
  if (/^image\//.test(type)) {
    const { title: _, ...rest } = block;
    return { ...rest, type: 'image', source };
  }
  if (!isTextType(type))
    throw untranslatableError(`messages[].content[].document.${type}`, 'anthropic-messages');
  const text = Buffer.from(data, 'base64').toString('utf8');
  return { ...block, source: { type: 'text', media_type: 'text/plain', data: text } };
}
