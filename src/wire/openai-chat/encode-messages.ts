import type { Acceptance } from '../../kernel/acceptance.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Block, ChatRequest, Message, ToolResultBlock, ToolUseBlock } from '../../kernel/message.ts';
import { foreignOf } from '../foreign.ts';
import { originalsOf } from '../openai/origin.ts';
import { toolErrorMark } from '../openai/tool-error.ts';
import { isSealed } from '../sealed.ts';
import { type Encoding, encodeContent, markerOf } from './encode-parts.ts';
import { type Extras, extrasFor, isExtraFor } from './extras.ts';
import { reasoningDetailsOf } from './reasoning.ts';

export function encodeSystem(system: ChatRequest['system'], encoding: Encoding): readonly JsonObject[] {
  if (system === undefined || system.length === 0) return [];
  return [{ role: 'system', content: typeof system === 'string' ? system : encodeContent(system, encoding) }];
}

export function encodeMessage(message: Message, encoding: Encoding): readonly JsonObject[] {
  if (typeof message.content === 'string') return [{ role: message.role, content: message.content }];
  switch (message.role) {
    case 'assistant':
      return [encodeAssistant(message.content, encoding)];
    case 'system':
      return [{ role: 'system', content: encodeContent(message.content, encoding) }];
    case 'user':
      return encodeUser(message.content, encoding);
  }
}

/** Results of tools come first, each a message; pictures in them follow in a message of the user's, where they may stand. */
function encodeUser(blocks: readonly Block[], encoding: Encoding): readonly JsonObject[] {
  const messages: JsonObject[] = [];
  const rest: Block[] = [];
  const pictures: Block[] = [];
  for (const block of blocks) {
    const foreign = foreignOf(block);
    if (foreign?.wire === 'openai-chat' && typeof foreign.part.role === 'string') messages.push(foreign.part);
    else if (block.type === 'tool_result') messages.push(encodeToolResult(block, pictures, encoding));
    else rest.push(block);
  }
  const content = encodeContent([...pictures, ...rest], encoding);
  if (content.length > 0 || messages.length === 0) messages.push({ role: 'user', content });
  return messages;
}

function encodeToolResult(result: ToolResultBlock, pictures: Block[], encoding: Encoding): JsonObject {
  const { content = '' } = result;
  const id = encoding.callId(result.tool_use_id);
  const blocks: readonly Block[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const shown: readonly Block[] = blocks.filter(isPicture);
  const told = encodeContent(
    blocks.filter((block) => !shown.includes(block)),
    encoding,
  );
  if (shown.length > 0) pictures.push({ type: 'text', text: `Returned by tool call ${id}:` }, ...shown);
  const text =
    told.length === 0 && shown.length > 0 ? 'What this call returned follows in the next message.' : told;
  return { role: 'tool', tool_call_id: id, content: result.is_error === true ? markedAsError(text) : text };
}

function isPicture(block: Block): boolean {
  return block.type === 'image' || (block.type === 'document' && block.source.type !== 'text');
}

function markedAsError(content: string | readonly JsonObject[]): string | readonly JsonObject[] {
  return typeof content === 'string'
    ? toolErrorMark + content
    : [{ type: 'text', text: toolErrorMark.trim() }, ...content];
}

function encodeAssistant(blocks: readonly Block[], encoding: Encoding): JsonObject {
  const extras = extrasFor(encoding.model, blocks);
  const calls = blocks.flatMap((block) => encodeToolCall(block, extras, encoding));
  const content = encodeContent(
    blocks.filter((block) => !isThinking(block) && !isCall(block)),
    encoding,
  );
  const { parts = [], ...beside } = encodeThinking(blocks.filter(isThinking), extras, encoding);
  const said = content.length === 0 && calls.length > 0 ? null : content;
  return {
    role: 'assistant',
    content: parts.length === 0 ? said : [...parts, ...partsOf(content)],
    ...beside,
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

function isCall(block: Block): boolean {
  const foreign = foreignOf(block);
  return block.type === 'tool_use' || (foreign?.wire === 'openai-chat' && 'id' in foreign.part);
}

/** Thinking without a signature came from a provider that shows it here, and wants it back; a signed one goes home only. */
function encodeThinking(
  thinking: readonly Block[],
  extras: Extras,
  { model, hostsClaude, accepts, dropped }: Encoding,
): Thoughts {
  if (thinking.length === 0) return {};
  const signed = reasoningDetailsOf(thinking.filter((block) => !isSecret(block)));
  const details = hostsClaude ? [...signed, ...extras.details] : extras.details;
  if (signed.length > 0 && hostsClaude) return { reasoning_details: details };
  const lost = thinking.filter((block) => isSecret(block) && !isExtraFor(model, block));
  const open = thinking.flatMap((block) =>
    block.type === 'thinking' && !block.signature ? [block.thinking] : [],
  );
  const unwanted = open.length > 0 && accepts.thoughts === 'nowhere';
  if (signed.length > 0 || lost.length > 0 || unwanted) dropped.add('messages[].content[].thinking');
  return {
    ...(open.length > 0 && openThoughts(open.join(''), accepts)),
    ...(details.length > 0 && { reasoning_details: details }),
  };
}

/** Fields of a message; parts stand in its content. */
type Thoughts = JsonObject & { readonly parts?: readonly JsonObject[] };

/** In the place where this provider keeps them. */
function openThoughts(text: string, { thoughts }: Acceptance): Thoughts {
  switch (thoughts) {
    case 'parts':
      return { parts: [{ type: 'thinking', thinking: [{ type: 'text', text }] }] };
    case 'nowhere':
      return {};
    default:
      return { [thoughts]: text };
  }
}

/** Encrypted by a provider of another kind, or put aside for the one it came from. */
function isSecret(block: Block): boolean {
  return block.type === 'redacted_thinking' && isSealed(block.data);
}

function encodeToolCall(block: Block, { byCall }: Extras, encoding: Encoding): readonly JsonObject[] {
  const foreign = foreignOf(block);
  if (foreign?.wire === 'openai-chat' && 'id' in foreign.part) return [foreign.part];
  if (block.type !== 'tool_use') return [];
  const asItCame = originalsOf(block);
  if (asItCame !== undefined && encoding.keepsOriginals) return asItCame;
  const extra_content = byCall.get(block.id);
  return [
    {
      id: encoding.callId(block.id),
      type: 'function',
      function: { name: block.name, arguments: argumentsOf(block) },
      ...(extra_content !== undefined && { extra_content }),
      ...markerOf(block, encoding),
    },
  ];
}

function argumentsOf({ input }: ToolUseBlock): string {
  return typeof input === 'string' ? input : JSON.stringify(input ?? {});
}
