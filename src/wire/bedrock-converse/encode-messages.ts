import type { Block, CacheControl, ChatRequest, Message, ToolResultBlock } from '../../kernel/message.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { blocksOf } from '../blocks.ts';
import { foreignPartOf } from '../foreign.ts';
import { objectOf, objectsOf } from '../json-values.ts';
import { isWrappedOpaque } from '../opaque-data.ts';
import { searchResultText } from '../search-result.ts';
import { toolErrorPrefix } from '../tool-error.ts';
import { toolReferenceText } from '../tool-reference.ts';
import type { EncodeContext } from './encode-context.ts';
import { encodeDocument, encodeImage } from './encode-media.ts';

export function encodeSystem(
  system: ChatRequest['system'],
  encodeContext: EncodeContext,
): readonly JsonObject[] | undefined {
  const blocks: readonly Block[] =
    typeof system === 'string' ? [{ type: 'text', text: system }] : (system ?? []);
  const encoded = blocks.flatMap((block) => encodeBlock(block, encodeContext));
  return encoded.length === 0 ? undefined : encoded;
}

/** Roles must alternate: merges consecutive messages of a role. */
export function encodeMessages(
  messages: readonly Message[],
  encodeContext: EncodeContext,
): readonly JsonObject[] {
  const turns: { readonly role: string; readonly content: JsonObject[] }[] = [];
  for (const message of messages) {
    const content = contentOf(message, encodeContext);
    if (content.length === 0) continue;
    if (message.role === 'system') encodeContext.dropped.add('messages[].system');
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...content);
    else turns.push({ role, content });
  }
  return turns.map(({ role, content }) => ({ role, content: arrangeToolResults(content, encodeContext) }));
}

/** Most makers need tool results first; some accept only tool results, so the rest moves into the last result. */
function arrangeToolResults(
  content: readonly JsonObject[],
  { traits: modelTraits }: EncodeContext,
): readonly JsonObject[] {
  const results = content.filter((part) => 'toolResult' in part);
  const last = objectOf(results.at(-1)?.toolResult);
  if (modelTraits.supportsRichContent || last === undefined || results.length === content.length)
    return content;
  const others = content.filter((part) => !('toolResult' in part));
  if (modelTraits.allowsMixedTurns) return [...results, ...others];
  const joined = { toolResult: { ...last, content: [...objectsOf(last.content), ...others] } };
  return [...results.slice(0, -1), joined];
}

function contentOf({ content }: Message, encodeContext: EncodeContext): JsonObject[] {
  if (typeof content === 'string') return isBlank(content) ? [] : [{ text: content }];
  const encoded = content.flatMap((block) => encodeBlock(block, encodeContext));
  const hasText = encoded.some((block) => 'text' in block);
  const named = encoded.find((block) => 'document' in block)?.document;
  // A document needs text beside it.
  return hasText || !isJsonObject(named) ? encoded : [...encoded, { text: String(named.name) }];
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

function encodeBlock(block: Block, encodeContext: EncodeContext): readonly JsonObject[] {
  const encoded =
    block.type === 'tool_result' ? encodeResult(block, encodeContext) : encodeLeafBlock(block, encodeContext);
  if (encoded.length === 0 || !('cache_control' in block) || block.cache_control == null) return encoded;
  return [
    ...encoded,
    ...cachePoint(block.cache_control, encodeContext.traits.supportsRichContent, encodeContext),
  ];
}

/** A cache point follows the content that it marks. */
export function cachePoint(
  { ttl }: CacheControl,
  isTaken: boolean,
  { traits: modelTraits, dropped }: EncodeContext,
): JsonObject[] {
  if (isTaken)
    return [{ cachePoint: { type: 'default', ...(modelTraits.isClaude && ttl === '1h' && { ttl }) } }];
  dropped.add('cache_control');
  return [];
}

/** A block without nested blocks. */
function encodeLeafBlock(block: Block, encodeContext: EncodeContext): readonly JsonObject[] {
  const { dropped, mapToolCallId } = encodeContext;
  const text = searchResultText(block) ?? toolReferenceText(block)?.text;
  if (text !== undefined) return [{ text }];
  switch (block.type) {
    case 'text':
      return isBlank(block.text) ? [] : [{ text: block.text }];
    case 'image':
      return [encodeImage(block)];
    case 'document':
      if ('citations' in block) dropped.add('messages[].content[].citations');
      return [encodeDocument(block, encodeContext.documentNames)];
    case 'tool_use': {
      const { id, name, input } = block;
      const json = isJsonObject(input) ? input : { value: input };
      return [{ toolUse: { toolUseId: mapToolCallId(id), name, input: json } }];
    }
    case 'thinking':
      if (encodeContext.traits.isClaude && block.signature)
        return [
          { reasoningContent: { reasoningText: { text: block.thinking, signature: block.signature } } },
        ];
      dropped.add('messages[].content[].thinking');
      return [];
    case 'redacted_thinking':
      if (encodeContext.traits.isClaude && !isWrappedOpaque(block.data))
        return [{ reasoningContent: { redactedContent: block.data } }];
      dropped.add('messages[].content[].redacted_thinking');
      return [];
    default:
      dropped.add(`messages[].content[].${foreignPartOf(block)?.kind ?? nameOf(block)}`);
      return [];
  }
}

function nameOf(block: { readonly type: string }): string {
  return block.type;
}

/** Some makers accept a status and pictures in results; for others an error becomes text, and pictures follow the result. */
function encodeResult(result: ToolResultBlock, encodeContext: EncodeContext): readonly JsonObject[] {
  const { content = '', is_error } = result;
  const { supportsRichContent, allowsMixedTurns } = encodeContext.traits;
  const encoded = blocksOf(content).flatMap((block) => encodeLeafBlock(block, encodeContext));
  const isBeside = (part: JsonObject) => 'image' in part && !supportsRichContent && allowsMixedTurns;
  const following = encoded.filter(isBeside);
  const inside = encoded.filter((part) => !isBeside(part));
  const failed = is_error === true && !supportsRichContent ? [{ text: toolErrorPrefix.trim() }] : [];
  const parts =
    failed.length + inside.length > 0 ? inside : [{ text: following.length > 0 ? '(image)' : '(empty)' }];
  const toolResult = {
    toolUseId: encodeContext.mapToolCallId(result.tool_use_id),
    content: [...failed, ...parts],
    ...(is_error === true && supportsRichContent && { status: 'error' }),
  };
  return [{ toolResult }, ...following];
}
