import { isJsonObject, type JsonObject } from '../../kernel/json.ts';
import type { Block, ChatRequest, Message, ToolResultBlock } from '../../kernel/message.ts';
import { foreignOf } from '../foreign.ts';
import { searchResultText } from '../openai/search-result.ts';
import { toolErrorMark } from '../openai/tool-error.ts';
import { isSealed } from '../sealed.ts';
import { toolReferenceText } from '../tool-reference.ts';
import { encodeDocument, encodeImage } from './encode-media.ts';
import type { Encoding } from './encoding.ts';

export function encodeSystem(
  system: ChatRequest['system'],
  encoding: Encoding,
): readonly JsonObject[] | undefined {
  const blocks: readonly Block[] =
    typeof system === 'string' ? [{ type: 'text', text: system }] : (system ?? []);
  const encoded = blocks.flatMap((block) => encodeBlock(block, encoding));
  return encoded.length === 0 ? undefined : encoded;
}

/** Roles take turns: what one of them said in a row is one message. */
export function encodeMessages(messages: readonly Message[], encoding: Encoding): readonly JsonObject[] {
  const turns: { readonly role: string; readonly content: JsonObject[] }[] = [];
  for (const message of messages) {
    const content = contentOf(message, encoding);
    if (content.length === 0) continue;
    if (message.role === 'system') encoding.dropped.add('messages[].system');
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...content);
    else turns.push({ role, content });
  }
  return turns;
}

function contentOf({ content }: Message, encoding: Encoding): JsonObject[] {
  if (typeof content === 'string') return isBlank(content) ? [] : [{ text: content }];
  const encoded = content.flatMap((block) => encodeBlock(block, encoding));
  const hasText = encoded.some((block) => 'text' in block);
  const named = encoded.find((block) => 'document' in block)?.document;
  // A document may not stand without words.
  return hasText || !isJsonObject(named) ? encoded : [...encoded, { text: String(named.name) }];
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

function encodeBlock(block: Block, encoding: Encoding): JsonObject[] {
  const encoded = encodedOf(block, encoding);
  if (encoded === undefined || !('cache_control' in block) || block.cache_control == null)
    return encoded === undefined ? [] : [encoded];
  return [encoded, ...cachePoint(encoding.isCaching, encoding)];
}

/** Marks stand behind what they mark. */
export function cachePoint(isTaken: boolean, { dropped }: Encoding): JsonObject[] {
  if (isTaken) return [{ cachePoint: { type: 'default' } }];
  dropped.add('cache_control');
  return [];
}

function encodedOf(block: Block, encoding: Encoding): JsonObject | undefined {
  const { dropped, callId } = encoding;
  const found = searchResultText(block) ?? toolReferenceText(block)?.text;
  if (found !== undefined) return { text: found };
  switch (block.type) {
    case 'text':
      return isBlank(block.text) ? undefined : { text: block.text };
    case 'image':
      return encodeImage(block);
    case 'document':
      if ('citations' in block) dropped.add('messages[].content[].citations');
      return encodeDocument(block, encoding.documentNames);
    case 'tool_use': {
      const { id, name, input } = block;
      const json = isJsonObject(input) ? input : { value: input };
      return { toolUse: { toolUseId: callId(id), name, input: json } };
    }
    case 'tool_result':
      return encodeResult(block, encoding);
    case 'thinking':
      if (encoding.isClaude && block.signature)
        return { reasoningContent: { reasoningText: { text: block.thinking, signature: block.signature } } };
      dropped.add('messages[].content[].thinking');
      return undefined;
    case 'redacted_thinking':
      if (encoding.isClaude && !isSealed(block.data))
        return { reasoningContent: { redactedContent: block.data } };
      dropped.add('messages[].content[].redacted_thinking');
      return undefined;
    default:
      dropped.add(`messages[].content[].${foreignOf(block)?.kind ?? nameOf(block)}`);
      return undefined;
  }
}

function nameOf(block: { readonly type: string }): string {
  return block.type;
}

/** That a call failed has a place of its own with some makers; others are told in words. */
function encodeResult(result: ToolResultBlock, encoding: Encoding): JsonObject {
  const { content = '', is_error } = result;
  const blocks: readonly Block[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const told = blocks.flatMap((block) => encodedOf(block, encoding) ?? []);
  const inWords = is_error === true && !encoding.isCaching ? [{ text: toolErrorMark.trim() }] : [];
  const all = [...inWords, ...told];
  return {
    toolResult: {
      toolUseId: encoding.callId(result.tool_use_id),
      content: all.length > 0 ? all : [{ text: '(empty)' }],
      ...(is_error === true && encoding.isCaching && { status: 'error' }),
    },
  };
}
