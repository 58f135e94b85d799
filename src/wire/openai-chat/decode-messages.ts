import type { Block, Message, TextBlock, ToolResultBlock, ToolUseBlock } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { ExtensionFields } from '../extension-fields.ts';
import { foreignBlock } from '../foreign.ts';
import { objectOf, objectsOf, stringOf } from '../json-values.ts';
import { attachOriginals } from '../originals.ts';
import { toolErrorPrefix } from '../tool-error.ts';
import { toolInputOf } from '../tool-input.ts';
import { cacheControlOf, decodeContent } from './decode-parts.ts';
import { thinkingOf } from './reasoning.ts';

/** Number of leading system messages; if all are, the last one is the conversation. */
export function leadingInstructions(messages: readonly JsonObject[]): number {
  const first = messages.findIndex((message) => !isInstruction(message));
  return first < 0 ? Math.max(0, messages.length - 1) : first;
}

function isInstruction(message: JsonObject): boolean {
  return message.role === 'system' || message.role === 'developer';
}

/** The system prompt as a string if it is one string without a name, else as blocks. */
export function decodeSystem(
  messages: readonly JsonObject[],
  extensionFields: ExtensionFields,
): string | readonly TextBlock[] | undefined {
  const [first] = messages;
  if (first === undefined) return undefined;
  if (messages.length === 1 && typeof first.content === 'string' && first.name === undefined)
    return first.content;
  const blocks = messages.flatMap((message) => decodeContent(message.content, extensionFields));
  return attachOriginals(
    blocks.filter((block) => block.type === 'text'),
    messages,
  );
}

/** Groups messages into turns: tool results and adjacent user messages are one user turn. */
export function decodeMessages(
  messages: readonly JsonObject[],
  extensionFields: ExtensionFields,
): readonly Message[] {
  const decoded: Message[] = [];
  for (const { role } of messages)
    if (!roles.has(role)) extensionFields.essential[`messages[].${stringOf(role) ?? 'role'}`] = true;
  for (let at = 0; at < messages.length; ) {
    const role = roleOf(messages[at]);
    let end = at + 1;
    while (end < messages.length && roleOf(messages[end]) === role) end++;
    const from = messages.slice(at, end);
    decoded.push(attachOriginals(decodeTurn(role, from, extensionFields), from));
    at = end;
  }
  return decoded;
}

/** Other roles may be a provider's own: they only go back in this format. */
const roles: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function']);

function roleOf(message: JsonObject | undefined): Message['role'] {
  if (message?.role === 'assistant') return 'assistant';
  return message !== undefined && isInstruction(message) ? 'system' : 'user';
}

function decodeTurn(
  role: Message['role'],
  from: readonly JsonObject[],
  extensionFields: ExtensionFields,
): Message {
  const [only] = from;
  for (const message of from)
    if (typeof message.name === 'string') extensionFields.optional['messages[].name'] = true;
  if (from.length === 1 && role !== 'assistant' && only?.role !== 'tool' && typeof only?.content === 'string')
    return { role, content: only.content };
  const blocks = from.flatMap((message) =>
    role === 'assistant' ? decodeAssistant(message, extensionFields) : decodeUser(message, extensionFields),
  );
  const [block] = blocks;
  if (
    role === 'assistant' &&
    blocks.length === 1 &&
    block?.type === 'text' &&
    typeof only?.content === 'string'
  )
    return { role, content: block.text };
  return { role, content: blocks };
}

function decodeUser(message: JsonObject, extensionFields: ExtensionFields): readonly Block[] {
  if (message.role === 'tool') return [decodeToolResult(message, extensionFields)];
  if (message.role !== 'function') return decodeContent(message.content, extensionFields);
  extensionFields.essential['messages[].function'] = true;
  return [foreignBlock('openai-chat', message)];
}

function decodeToolResult(message: JsonObject, extensionFields: ExtensionFields): ToolResultBlock {
  const { content } = message;
  const id = stringOf(message.tool_call_id) ?? '';
  if (typeof content !== 'string')
    return { type: 'tool_result', tool_use_id: id, content: decodeContent(content, extensionFields) };
  if (!content.startsWith(toolErrorPrefix)) return { type: 'tool_result', tool_use_id: id, content };
  return {
    type: 'tool_result',
    tool_use_id: id,
    content: content.slice(toolErrorPrefix.length),
    is_error: true,
  };
}

function decodeAssistant(message: JsonObject, extensionFields: ExtensionFields): readonly Block[] {
  const blocks = [...thinkingOf(message), ...decodeContent(message.content, extensionFields, 'model')];
  const refusal = stringOf(message.refusal);
  if (refusal !== undefined && refusal !== '') blocks.push({ type: 'text', text: refusal });
  if (objectOf(message.audio) !== undefined) extensionFields.essential['messages[].audio'] = true;
  if (objectOf(message.function_call) !== undefined)
    extensionFields.essential['messages[].function_call'] = true;
  for (const call of objectsOf(message.tool_calls)) blocks.push(decodeToolCall(call, extensionFields));
  return blocks;
}

function decodeToolCall(call: JsonObject, extensionFields: ExtensionFields): Block {
  const free = objectOf(call.custom);
  if (free !== undefined) {
    const input = { input: stringOf(free.input) ?? '' };
    const use = {
      type: 'tool_use',
      id: stringOf(call.id) ?? '',
      name: stringOf(free.name) ?? '',
      input,
    } as const;
    return attachOriginals(use, [call]);
  }
  const called = objectOf(call.function);
  if (called === undefined) return foreignBlock('openai-chat', call);
  const use: ToolUseBlock = {
    type: 'tool_use',
    id: stringOf(call.id) ?? '',
    name: stringOf(called.name) ?? '',
    input: toolInputOf(called.arguments, extensionFields),
  };
  const marker = cacheControlOf(call);
  return marker === undefined ? use : { ...use, cache_control: marker };
}
