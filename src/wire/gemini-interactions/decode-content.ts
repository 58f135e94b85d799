import type { Block, MediaSource, ToolResultBlock } from '../../kernel/message.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { ExtensionFields } from '../extension-fields.ts';
import { foreignBlock } from '../foreign.ts';
import { isPublicUrl } from '../gemini/decode-parts.ts';
import { objectsOf, stringOf } from '../json-values.ts';

/** Whether an object is content, which clients may send without a step around it. */
export function isContent({ type }: JsonObject): boolean {
  return contentTypes.has(type);
}

const contentTypes: ReadonlySet<unknown> = new Set(['text', 'image', 'audio', 'document', 'video']);

/** The content of a step as blocks; `by` decides whether parts may be dropped in other formats. */
export function decodeContent(
  content: unknown,
  extensionFields: ExtensionFields,
  by: 'client' | 'model',
): readonly Block[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  const parts = isJsonObject(content) ? [content] : objectsOf(content);
  return parts.flatMap((part) => decodePart(part, extensionFields, by));
}

function decodePart(
  part: JsonObject,
  extensionFields: ExtensionFields,
  by: 'client' | 'model',
): readonly Block[] {
  const { type } = part;
  if (type === 'text') {
    const text = stringOf(part.text) ?? '';
    return text === '' ? [] : [{ type, text }];
  }
  const source = type === 'image' || type === 'document' ? sourceOf(part, type) : undefined;
  if (source !== undefined && (type === 'image' || type === 'document')) {
    if (part.resolution != null) extensionFields.optional['input[].content[].resolution'] = true;
    return [{ type, source }];
  }
  // A model's part may be dropped, a client's may not.
  if (by === 'client') extensionFields.essential[`input[].content[].${stringOf(type) ?? 'unknown'}`] = true;
  return [foreignBlock('gemini-interactions', part)];
}

function sourceOf({ data, uri, mime_type }: JsonObject, type: 'image' | 'document'): MediaSource | undefined {
  const media_type = stringOf(mime_type) ?? (type === 'image' ? 'image/png' : 'application/pdf');
  if (typeof data === 'string')
    return type === 'document' && media_type.startsWith('text/')
      ? { type: 'text', media_type, data: Buffer.from(data, 'base64').toString('utf8') }
      : { type: 'base64', media_type, data };
  if (typeof uri !== 'string') return undefined;
  return isPublicUrl(uri)
    ? { type: 'url', url: uri }
    : { type: 'file', file_id: uri, from: 'gemini-interactions' };
}

/** The result of a function: a text, content, or any other value, which becomes JSON. */
export function decodeResult(step: JsonObject, extensionFields: ExtensionFields): ToolResultBlock {
  const { result, is_error } = step;
  const hasContent = Array.isArray(result) && result.every((part) => isJsonObject(part) && isContent(part));
  const text = typeof result === 'string' ? result : JSON.stringify(result ?? '');
  return {
    type: 'tool_result',
    tool_use_id: stringOf(step.call_id) ?? '',
    content: hasContent && result.length > 0 ? decodeContent(result, extensionFields, 'client') : text,
    ...(is_error === true && { is_error }),
  };
}
