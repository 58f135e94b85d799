import {
  type Block,
  canonicalJson,
  isJsonObject,
  type JsonObject,
  type McpCompleteResult,
} from '../../module-api.ts';
import { limits } from './limits.ts';

export interface ReadableKinds {
  readonly images: boolean;
  readonly documents: boolean;
}

export interface ResultContent {
  readonly content: string | readonly Block[];
  readonly isError: boolean;
}

/**
 * The content of a result for the model: texts, up to `bytesMax` bytes together, and pictures and PDFs if it can read them. What is left
 * out is named.
 */
export async function resultContent(
  result: McpCompleteResult,
  bytesMax: number,
  readable: () => Promise<ReadableKinds>,
): Promise<ResultContent> {
  const parts = partsOf(result);
  const hasMedia = parts.some((part) => part.kind !== 'text');
  const kinds = hasMedia ? await readable() : { images: false, documents: false };
  const blocks: Block[] = [];
  const room = { textBytes: bytesMax, mediaBytes: limits.mediaBytesMax };
  for (const part of parts)
    blocks.push(part.kind === 'text' ? cut(part.text, room) : mediaBlock(part, kinds, room));
  const shown = blocks.filter((block) => block.type !== 'text' || block.text !== '');
  const isText = shown.every((block) => block.type === 'text');
  const text = shown.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
  return {
    content: isText ? text || '(The result is empty.)' : shown,
    isError: result.isError === true,
  };
}

type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'images' | 'documents'; readonly mediaType: string; readonly data: string }
  | { readonly kind: 'other'; readonly what: string };

function partsOf({ content, structuredContent }: McpCompleteResult): readonly Part[] {
  const parts = content.map(partOf);
  if (structuredContent === undefined) return parts;
  // Servers should repeat structured content as a text, but need not.
  const structured = JSON.stringify(structuredContent) ?? '';
  const isRepeated = parts.some((part) => part.kind === 'text' && isSameJson(part.text, structured));
  return isRepeated ? parts : [...parts, { kind: 'text', text: structured }];
}

function isSameJson(text: string, json: string): boolean {
  if (text === json) return true;
  try {
    return canonicalJson(JSON.parse(text)) === canonicalJson(JSON.parse(json));
  } catch {
    return false;
  }
}

function partOf(item: JsonObject): Part {
  const { type, text, data, mimeType } = item;
  if (type === 'text') return { kind: 'text', text: stringOf(text) };
  if (type === 'image') return mediaPart(stringOf(mimeType), stringOf(data));
  if (type === 'audio') return { kind: 'other', what: `Audio (${plain(mimeType)})` };
  if (type === 'resource_link') return { kind: 'text', text: linkText(item) };
  if (type === 'resource' && isJsonObject(item.resource)) return resourcePart(item.resource);
  return { kind: 'other', what: `Content of the type ${plain(type)}` };
}

function resourcePart({ uri, text, blob, mimeType }: JsonObject): Part {
  if (typeof text === 'string') return { kind: 'text', text: `${stringOf(uri)}\n${text}` };
  return mediaPart(stringOf(mimeType), stringOf(blob));
}

const imageTypes: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

function mediaPart(mediaType: string, data: string): Part {
  const type = mediaType.toLowerCase();
  if (base64.test(data) && imageTypes.has(type)) return { kind: 'images', mediaType: type, data };
  if (base64.test(data) && type === 'application/pdf') return { kind: 'documents', mediaType: type, data };
  return { kind: 'other', what: `A file (${plain(mediaType)})` };
}

/** A resource that the model may know of; the gateway does not open it. */
function linkText({ uri, name, description }: JsonObject): string {
  return [name, uri, description].filter((text) => typeof text === 'string').join(' – ');
}

interface Room {
  textBytes: number;
  mediaBytes: number;
}

function cut(text: string, room: Room): Block {
  const bytes = Buffer.byteLength(text);
  if (bytes <= room.textBytes) {
    room.textBytes -= bytes;
    return { type: 'text', text };
  }
  const kept = Buffer.from(text)
    .subarray(0, room.textBytes)
    .toString('utf8')
    .replace(/\uFFFD$/, '');
  const note = `[The result is cut off here: ${bytes - room.textBytes} of ${bytes} bytes are left out. Ask for less at a time.]`;
  room.textBytes = 0;
  return { type: 'text', text: kept === '' ? note : `${kept}\n${note}` };
}

function mediaBlock(
  part: Exclude<Part, { readonly kind: 'text' }>,
  readable: ReadableKinds,
  room: Room,
): Block {
  if (part.kind === 'other') return omission(part.what, 'it is of a kind that models do not read here');
  const { kind, mediaType, data } = part;
  const what = kind === 'images' ? `A picture (${mediaType})` : `A file (${mediaType})`;
  const bytes = Math.floor((data.length * 3) / 4);
  if (!readable[kind]) return omission(what, 'this model can not read it');
  if (bytes > room.mediaBytes) return omission(what, `it is too large with ${bytes} bytes`);
  room.mediaBytes -= bytes;
  const source = { type: 'base64', media_type: mediaType, data } as const;
  return kind === 'images' ? { type: 'image', source } : { type: 'document', source };
}

function omission(what: string, why: string): Block {
  return { type: 'text', text: `[${what} was left out: ${why}.]` };
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A name from a server, for a sentence of the gateway. */
function plain(value: unknown): string {
  return (
    stringOf(value)
      .replaceAll(/[^\w.+/-]/g, '')
      .slice(0, 100) || 'unknown'
  );
}
