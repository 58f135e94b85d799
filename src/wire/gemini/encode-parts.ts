import type { JsonObject } from '../../kernel/json.ts';
import type { Block, DocumentBlock, MediaSource } from '../../kernel/message.ts';
import { foreignOf } from '../foreign.ts';
import { searchResultText } from '../openai/search-result.ts';
import { toolReferenceText } from '../tool-reference.ts';
import type { Generation } from './generation.ts';

/** What an encoder needs to know besides the content itself. */
export interface Encoding {
  readonly model: string;
  readonly generation: Generation;
  /** What a call of a function is called, by its id. */
  readonly nameOf: (callId: string) => string;
  readonly dropped: Set<string>;
}

/** A block that anybody may say, as parts. */
export function encodePart(block: Block, { dropped }: Pick<Encoding, 'dropped'>): readonly JsonObject[] {
  if ('cache_control' in block && block.cache_control != null) dropped.add('cache_control');
  const foreign = foreignOf(block);
  if (foreign?.wire === 'gemini' && !besideContent.has(foreign.kind)) return [foreign.part];
  const found = searchResultText(block) ?? toolReferenceText(block)?.text;
  if (found !== undefined) return [{ text: found }];
  switch (block.type) {
    case 'text':
      return block.text === '' ? [] : [{ text: block.text }];
    case 'image':
      return [mediaPart(block.source, 'image/jpeg')];
    case 'document':
      if ('citations' in block) dropped.add('messages[].content[].citations');
      return [documentPart(block)];
    default:
      dropped.add(`messages[].content[].${foreign?.kind ?? block.type}`);
      return [];
  }
}

/** What an answer had beside its parts. */
const besideContent: ReadonlySet<string> = new Set(['groundingMetadata', 'urlContextMetadata']);

function documentPart({ source, title }: DocumentBlock): JsonObject {
  const text = textOf(source);
  if (text !== undefined) return { text: title == null ? text : `${title}\n\n${text}` };
  return mediaPart(source, 'application/pdf');
}

function textOf(source: MediaSource): string | undefined {
  if (source.type === 'text') return source.data;
  const isText = source.type === 'base64' && source.media_type.startsWith('text/');
  return isText ? Buffer.from(source.data, 'base64').toString('utf8') : undefined;
}

/** An address needs a type beside it: where its end doesn't tell, the usual one of its kind. */
function mediaPart(source: MediaSource, usual: string): JsonObject {
  switch (source.type) {
    case 'base64':
      return { inlineData: { mimeType: source.media_type, data: source.data } };
    case 'text':
      return {
        inlineData: { mimeType: source.media_type, data: Buffer.from(source.data).toString('base64') },
      };
    case 'url':
      return { fileData: { mimeType: typeOf(source.url, usual), fileUri: source.url } };
    case 'file':
      return { fileData: { mimeType: typeOf(source.file_id, usual), fileUri: source.file_id } };
  }
}

/** By the end of its path, which is not that of its host; and a picture is one, whatever its address ends in. */
function typeOf(address: string, usual: string): string {
  const path = address.replace(/^\w+:\/\/[^/?#]*/, '').replace(/[?#].*/s, '');
  const [, ending = ''] = /\.([a-z\d]+)$/i.exec(path) ?? [];
  const told = types.get(ending.toLowerCase()) ?? usual;
  return usual.startsWith('image/') && !told.startsWith('image/') ? usual : told;
}

const types: ReadonlyMap<string, string> = new Map([
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
