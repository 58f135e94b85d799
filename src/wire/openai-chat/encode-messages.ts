import type { Acceptance } from '../../kernel/acceptance.ts';
import type { Block, ChatRequest, Message, ToolResultBlock, ToolUseBlock } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { blocksOf } from '../blocks.ts';
import { foreignPartOf } from '../foreign.ts';
import { isWrappedOpaque } from '../opaque-data.ts';
import { originalsOf } from '../originals.ts';
import { toolErrorPrefix } from '../tool-error.ts';
import { cacheMarkerOf, type EncodeContext, encodeContent } from './encode-parts.ts';
import { extrasFor, isExtraFor, type ProviderExtras } from './provider-extras.ts';
import { reasoningDetailsOf } from './reasoning.ts';

export function encodeSystem(
  system: ChatRequest['system'],
  encodeContext: EncodeContext,
): readonly JsonObject[] {
  if (system === undefined || system.length === 0) return [];
  return [
    { role: 'system', content: typeof system === 'string' ? system : encodeContent(system, encodeContext) },
  ];
}

export function encodeMessage(message: Message, encodeContext: EncodeContext): readonly JsonObject[] {
  if (typeof message.content === 'string') return [{ role: message.role, content: message.content }];
  switch (message.role) {
    case 'assistant':
      return withoutEmpty(encodeAssistant(message.content, encodeContext), message.content);
    case 'system':
      return [{ role: 'system', content: encodeContent(message.content, encodeContext) }];
    case 'user':
      return encodeUser(message.content, encodeContext);
  }
}

/** Tool results come first, one message each; their pictures follow in a user message, which may contain them. */
function encodeUser(blocks: readonly Block[], encodeContext: EncodeContext): readonly JsonObject[] {
  const messages: JsonObject[] = [];
  const rest: Block[] = [];
  const pictures: Block[] = [];
  for (const block of blocks) {
    const foreignPart = foreignPartOf(block);
    if (foreignPart?.wire === 'openai-chat' && typeof foreignPart.part.role === 'string')
      messages.push(foreignPart.part);
    else if (block.type === 'tool_result') messages.push(encodeToolResult(block, pictures, encodeContext));
    else rest.push(block);
  }
  const content = encodeContent([...pictures, ...rest], encodeContext);
  if (content.length > 0 || messages.length === 0)
    messages.push(...withoutEmpty({ role: 'user', content }, blocks));
  return messages;
}

/** None for a message of which all was dropped. */
function withoutEmpty(message: JsonObject, from: readonly Block[]): readonly JsonObject[] {
  const isEmpty = message.content === '' && Object.keys(message).length === 2;
  return isEmpty && from.length > 0 && from.every((block) => foreignPartOf(block) !== undefined)
    ? []
    : [message];
}

function encodeToolResult(
  result: ToolResultBlock,
  pictures: Block[],
  encodeContext: EncodeContext,
): JsonObject {
  const { content = '' } = result;
  const id = encodeContext.mapToolCallId(result.tool_use_id);
  const blocks = blocksOf(content);
  const media: readonly Block[] = blocks.filter(isMedia);
  const textContent = encodeContent(
    moveMarker(
      result,
      blocks.filter((block) => !media.includes(block)),
    ),
    encodeContext,
  );
  if (media.length > 0) pictures.push({ type: 'text', text: `Returned by tool call ${id}:` }, ...media);
  const text =
    textContent.length === 0 && media.length > 0
      ? 'What this call returned follows in the next message.'
      : textContent;
  return { role: 'tool', tool_call_id: id, content: result.is_error === true ? markAsError(text) : text };
}

/** A tool result has its marker on its last text here. */
function moveMarker({ cache_control: marker }: ToolResultBlock, blocks: readonly Block[]): readonly Block[] {
  const last = blocks.at(-1);
  return marker == null || last?.type !== 'text'
    ? blocks
    : [...blocks.slice(0, -1), { ...last, cache_control: marker }];
}

function isMedia(block: Block): boolean {
  return block.type === 'image' || (block.type === 'document' && block.source.type !== 'text');
}

function markAsError(content: string | readonly JsonObject[]): string | readonly JsonObject[] {
  return typeof content === 'string'
    ? toolErrorPrefix + content
    : [{ type: 'text', text: toolErrorPrefix.trim() }, ...content];
}

function encodeAssistant(blocks: readonly Block[], encodeContext: EncodeContext): JsonObject {
  const providerExtras = extrasFor(encodeContext.model, blocks);
  const calls = blocks.flatMap((block) => encodeToolCall(block, providerExtras, encodeContext));
  const content = encodeContent(
    blocks.filter((block) => !isThinking(block) && !isToolCall(block)),
    encodeContext,
  );
  const { parts = [], ...thinkingFields } = encodeThinking(
    blocks.filter(isThinking),
    providerExtras,
    encodeContext,
  );
  const ownContent = content.length === 0 && calls.length > 0 ? null : content;
  return {
    role: 'assistant',
    content: parts.length === 0 ? ownContent : [...parts, ...partsOf(content)],
    ...thinkingFields,
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function partsOf(content: string | readonly JsonObject[]): readonly JsonObject[] {
  if (typeof content !== 'string') return content;
  return content === '' ? [] : [{ type: 'text', text: content }];
}

function isThinking(block: Block): boolean {
  return block.type === 'thinking' || block.type === 'redacted_thinking';
}

function isToolCall(block: Block): boolean {
  const foreignPart = foreignPartOf(block);
  return block.type === 'tool_use' || (foreignPart?.wire === 'openai-chat' && 'id' in foreignPart.part);
}

/** Unsigned thinking came from a provider that expects it back in this format; signed thinking only goes to its maker. */
function encodeThinking(
  thinking: readonly Block[],
  providerExtras: ProviderExtras,
  { model, hostsClaude, accepts, dropped }: EncodeContext,
): EncodedThinking {
  if (thinking.length === 0) return {};
  const signed = reasoningDetailsOf(thinking.filter((block) => !isOpaqueThinking(block)));
  const details = hostsClaude ? [...signed, ...providerExtras.details] : providerExtras.details;
  if (signed.length > 0 && hostsClaude) return { reasoning_details: details };
  const lost = thinking.filter((block) => isOpaqueThinking(block) && !isExtraFor(model, block));
  const open = thinking.flatMap((block) =>
    block.type === 'thinking' && !block.signature ? [block.thinking] : [],
  );
  const unwanted = open.length > 0 && accepts.thinkingField === 'nowhere';
  if (signed.length > 0 || lost.length > 0 || unwanted) dropped.add('messages[].content[].thinking');
  return {
    ...(open.length > 0 && encodePlainThinking(open.join(''), accepts)),
    ...(details.length > 0 && { reasoning_details: details }),
  };
}

/** Message fields, and parts for its content. */
type EncodedThinking = JsonObject & { readonly parts?: readonly JsonObject[] };

/** Puts thinking where this provider expects it. */
function encodePlainThinking(text: string, { thinkingField }: Acceptance): EncodedThinking {
  switch (thinkingField) {
    case 'parts':
      return { parts: [{ type: 'thinking', thinking: [{ type: 'text', text }] }] };
    case 'nowhere':
      return {};
    default:
      return { [thinkingField]: text };
  }
}

/** Encrypted by another provider, or stored for the model it came from. */
function isOpaqueThinking(block: Block): boolean {
  return block.type === 'redacted_thinking' && isWrappedOpaque(block.data);
}

function encodeToolCall(
  block: Block,
  { byCall }: ProviderExtras,
  encodeContext: EncodeContext,
): readonly JsonObject[] {
  const foreignPart = foreignPartOf(block);
  if (foreignPart?.wire === 'openai-chat' && 'id' in foreignPart.part) return [foreignPart.part];
  if (block.type !== 'tool_use') return [];
  const asItCame = originalsOf(block);
  if (asItCame !== undefined && encodeContext.keepsOriginals) return asItCame;
  const extra_content = byCall.get(block.id);
  return [
    {
      id: encodeContext.mapToolCallId(block.id),
      type: 'function',
      function: { name: block.name, arguments: argumentsOf(block) },
      ...(extra_content !== undefined && { extra_content }),
      ...cacheMarkerOf(block, encodeContext),
    },
  ];
}

function argumentsOf({ input }: ToolUseBlock): string {
  return typeof input === 'string' ? input : JSON.stringify(input ?? {});
}
