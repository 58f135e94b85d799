import type { DocumentBlock, ImageBlock } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { untranslatableError } from '../foreign.ts';

/** Pictures and documents must be inline: the API accepts no URLs. */
export function encodeImage({ source }: ImageBlock): JsonObject {
  if (source.type !== 'base64')
    throw untranslatableError(`messages[].content[].image.source.${source.type}`, 'bedrock-converse');
  const format = imageFormats.get(source.media_type.toLowerCase());
  if (format === undefined)
    throw untranslatableError(`messages[].content[].image.${source.media_type}`, 'bedrock-converse');
  return { image: { format, source: { bytes: source.data } } };
}

export function encodeDocument({ source, title }: DocumentBlock, names: Map<string, number>): JsonObject {
  if (source.type !== 'base64' && source.type !== 'text')
    throw untranslatableError(`messages[].content[].document.source.${source.type}`, 'bedrock-converse');
  const type = source.media_type.toLowerCase();
  const image = imageFormats.get(type);
  if (image !== undefined) return { image: { format: image, source: { bytes: source.data } } };
  const format = documentFormats.get(type) ?? (isText(type) || source.type === 'text' ? 'txt' : undefined);
  if (format === undefined)
    throw untranslatableError(`messages[].content[].document.${type}`, 'bedrock-converse');
  const bytes = source.type === 'text' ? Buffer.from(source.data).toString('base64') : source.data;
  return { document: { format, name: uniqueDocumentName(title ?? 'document', names), source: { bytes } } };
}

/** Allows letters, digits, single spaces, hyphens and brackets; makes names unique. */
function uniqueDocumentName(title: string, names: Map<string, number>): string {
  const letters = title.replace(/[^A-Za-z0-9()[\]-]+/g, ' ').trim();
  const plain = letters.slice(0, 180).trim() || 'document';
  let count = names.get(plain) ?? 0;
  let name = plain;
  do {
    count++;
    name = count === 1 ? plain : `${plain} ${count}`;
  } while (name !== plain && names.has(name));
  names.set(plain, count);
  if (name !== plain) names.set(name, 1);
  return name;
}

function isText(type: string): boolean {
  return /^text\/|^application\/(json|xml|yaml|x-yaml|toml|javascript|sql|x-ndjson)$|\+(json|xml)$/.test(
    type,
  );
}

const imageFormats: ReadonlyMap<string, string> = new Map([
  ['image/png', 'png'],
  ['image/jpeg', 'jpeg'],
  ['image/jpg', 'jpeg'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
]);

const documentFormats: ReadonlyMap<string, string> = new Map([
  ['application/pdf', 'pdf'],
  ['text/csv', 'csv'],
  ['text/html', 'html'],
  ['text/markdown', 'md'],
  ['text/plain', 'txt'],
  ['application/msword', 'doc'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
  ['application/vnd.ms-excel', 'xls'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
]);
