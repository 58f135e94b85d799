import { isJsonObject, type JsonObject } from '../../kernel/json.ts';
import type { Block, CacheControl, ChatRequest, Message, ToolResultBlock } from '../../kernel/message.ts';
import { foreignOf } from '../foreign.ts';
import { searchResultText } from '../openai/search-result.ts';
import { toolErrorMark } from '../openai/tool-error.ts';
import { objectOf, objectsOf } from '../read.ts';
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
  return turns.map(({ role, content }) => ({ role, content: arranged(content, encoding) }));
}

/** Results stand first with most makers; some take nothing beside them, and read it in the last of them. */
function arranged(content: readonly JsonObject[], { traits }: Encoding): readonly JsonObject[] {
  const results = content.filter((part) => 'toolResult' in part);
  const last = objectOf(results.at(-1)?.toolResult);
  if (traits.isRich || last === undefined || results.length === content.length) return content;
  const others = content.filter((part) => !('toolResult' in part));
  if (traits.mixesTurns) return [...results, ...others];
  const joined = { toolResult: { ...last, content: [...objectsOf(last.content), ...others] } };
  return [...results.slice(0, -1), joined];
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

function encodeBlock(block: Block, encoding: Encoding): readonly JsonObject[] {
  const encoded = block.type === 'tool_result' ? encodeResult(block, encoding) : encodedOf(block, encoding);
  if (encoded.length === 0 || !('cache_control' in block) || block.cache_control == null) return encoded;
  return [...encoded, ...cachePoint(block.cache_control, encoding.traits.isRich, encoding)];
}

/** Marks stand behind what they mark. */
export function cachePoint(
  { ttl }: CacheControl,
  isTaken: boolean,
  { traits, dropped }: Encoding,
): JsonObject[] {
  if (isTaken) return [{ cachePoint: { type: 'default', ...(traits.isClaude && ttl === '1h' && { ttl }) } }];
  dropped.add('cache_control');
  return [];
}

/** One block that holds no others. */
function encodedOf(block: Block, encoding: Encoding): readonly JsonObject[] {
  const { dropped, callId } = encoding;
  const found = searchResultText(block) ?? toolReferenceText(block)?.text;
  if (found !== undefined) return [{ text: found }];
  switch (block.type) {
    case 'text':
      return isBlank(block.text) ? [] : [{ text: block.text }];
    case 'image':
      return [encodeImage(block)];
    case 'document':
      if ('citations' in block) dropped.add('messages[].content[].citations');
      return [encodeDocument(block, encoding.documentNames)];
    case 'tool_use': {
      const { id, name, input } = block;
      const json = isJsonObject(input) ? input : { value: input };
      return [{ toolUse: { toolUseId: callId(id), name, input: json } }];
    }
    case 'thinking':
      if (encoding.traits.isClaude && block.signature)
        return [
          { reasoningContent: { reasoningText: { text: block.thinking, signature: block.signature } } },
        ];
      dropped.add('messages[].content[].thinking');
      return [];
    case 'redacted_thinking':
      if (encoding.traits.isClaude && !isSealed(block.data))
        return [{ reasoningContent: { redactedContent: block.data } }];
      dropped.add('messages[].content[].redacted_thinking');
      return [];
    default:
      dropped.add(`messages[].content[].${foreignOf(block)?.kind ?? nameOf(block)}`);
      return [];
  }
}

function nameOf(block: { readonly type: string }): string {
  return block.type;
}

/** That a call failed has a place of its own with some makers, and so have pictures; others are told in words, and see them beside it. */
function encodeResult(result: ToolResultBlock, encoding: Encoding): readonly JsonObject[] {
  const { content = '', is_error } = result;
  const { isRich, mixesTurns } = encoding.traits;
  const blocks: readonly Block[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const told = blocks.flatMap((block) => encodedOf(block, encoding));
  const isBeside = (part: JsonObject) => 'image' in part && !isRich && mixesTurns;
  const beside = told.filter(isBeside);
  const inside = told.filter((part) => !isBeside(part));
  const failed = is_error === true && !isRich ? [{ text: toolErrorMark.trim() }] : [];
  const words =
    failed.length + inside.length > 0 ? inside : [{ text: beside.length > 0 ? '(image)' : '(empty)' }];
  const toolResult = {
    toolUseId: encoding.callId(result.tool_use_id),
    content: [...failed, ...words],
    ...(is_error === true && isRich && { status: 'error' }),
  };
  return [{ toolResult }, ...beside];
}
