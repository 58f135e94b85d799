import type { Block, Message, TextBlock, ToolResultBlock } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { ExtensionFields } from '../extension-fields.ts';
import { foreignBlock, foreignPartOf } from '../foreign.ts';
import { stringOf } from '../json-values.ts';
import { attachOriginals } from '../originals.ts';
import { toolErrorPrefix } from '../tool-error.ts';
import { toolInputOf } from '../tool-input.ts';
import { decodeClientToolItem, isProviderItem } from './client-tool-items.ts';
import { decodeTrigger, sealedSummaryOf } from './compaction-items.ts';
import { decodeContent } from './decode-parts.ts';
import { decodeReasoning } from './reasoning.ts';

type Role = Message['role'];

/** Number of leading system items; if all are, the last one is the conversation. */
export function leadingInstructions(items: readonly JsonObject[]): number {
  const first = items.findIndex((item) => roleOf(item) !== 'system');
  return first < 0 ? Math.max(0, items.length - 1) : first;
}

/** The system prompt as a string if it is one string, else as blocks. */
export function decodeSystem(
  instructions: unknown,
  items: readonly JsonObject[],
  extensionFields: ExtensionFields,
): string | readonly TextBlock[] | undefined {
  const first = stringOf(instructions) ?? '';
  if (items.length === 0) return first === '' ? undefined : first;
  const [only] = items;
  if (first === '' && items.length === 1 && typeof only?.content === 'string') return only.content;
  const blocks = items
    .flatMap((item) => decodeContent(item.content, extensionFields))
    .filter((block) => block.type === 'text');
  return first === '' ? blocks : [{ type: 'text', text: first }, ...blocks];
}

interface DecodeContext {
  readonly extensionFields: ExtensionFields;
  /** The tool's name in other formats. */
  readonly toolNameOf: (call: JsonObject) => string;
}

/** Groups items into turns: the model's thinking, texts and calls are one turn, results and user messages the next. */
export function decodeItems(items: readonly JsonObject[], decodeContext: DecodeContext): readonly Message[] {
  const messages: Message[] = [];
  for (const item of items)
    if (isMessage(item) && !roles.has(item.role))
      decodeContext.extensionFields.essential[`input[].${stringOf(item.role) ?? 'role'}`] = true;
  for (let at = 0; at < items.length; ) {
    const role = roleOf(items[at] ?? {});
    let end = at + 1;
    while (end < items.length && belongsToTurn(role, items[end] ?? {})) end++;
    const from = items.slice(at, end);
    messages.push(attachOriginals(decodeTurn(role, from, decodeContext), from));
    at = end;
  }
  return messages;
}

/** Other roles may be a provider's own: they only go back in this format. */
const roles: ReadonlySet<unknown> = new Set([undefined, 'system', 'developer', 'user', 'assistant']);

function roleOf(item: JsonObject): Role {
  const { type, role, execution } = item;
  if (type === undefined || type === 'message') {
    if (role === 'assistant') return 'assistant';
    return role === 'system' || role === 'developer' ? 'system' : 'user';
  }
  // Models read the summary as a message of the user.
  if (sealedSummaryOf(item) !== undefined) return 'user';
  const isMade =
    execution === 'server' ||
    assistantItemTypes.has(type) ||
    (typeof type === 'string' && type.endsWith('_call'));
  return isMade ? 'assistant' : 'user';
}

const assistantItemTypes: ReadonlySet<unknown> = new Set([
  'reasoning',
  'compaction',
  'mcp_list_tools',
  'mcp_approval_request',
]);

/** Tools added in mid-conversation belong to neither role. */
function belongsToTurn(role: Role, item: JsonObject): boolean {
  return item.type === 'additional_tools' || roleOf(item) === role;
}

function decodeTurn(role: Role, from: readonly JsonObject[], decodeContext: DecodeContext): Message {
  const [only] = from;
  if (from.length === 1 && only !== undefined && isMessage(only) && typeof only.content === 'string')
    return { role, content: only.content };
  return { role, content: from.flatMap((item) => decodeItem(item, decodeContext)) };
}

function isMessage({ type, role, content }: JsonObject): boolean {
  return type === 'message' || (type === undefined && (role !== undefined || content !== undefined));
}

function decodeItem(item: JsonObject, { extensionFields, toolNameOf }: DecodeContext): readonly Block[] {
  if (isMessage(item)) return decodeContent(item.content, extensionFields, roleOf(item));
  switch (item.type) {
    case 'reasoning':
      return [decodeReasoning(item)];
    case 'function_call':
      return [toolUseBlock(item, toolNameOf(item), toolInputOf(item.arguments, extensionFields))];
    case 'custom_tool_call':
      return [toolUseBlock(item, toolNameOf(item), { input: stringOf(item.input) ?? '' })];
    case 'function_call_output':
    case 'custom_tool_call_output':
      return [decodeToolOutput(item, extensionFields)];
    case 'additional_tools':
      // Other formats have these among their tools.
      return [attachOriginals({ type: 'text', text: '' }, [item])];
    case 'compaction_trigger':
      return [decodeTrigger(item)];
    case 'item_reference':
      extensionFields.essential['input[].item_reference'] = true;
  }
  const run = decodeClientToolItem(item);
  if (run !== undefined) return [run];
  const block = foreignBlock('openai-responses', item);
  if (!isProviderItem(item)) extensionFields.essential[`input[].${foreignPartOf(block)?.kind}`] = true;
  return [block];
}

function toolUseBlock(item: JsonObject, name: string, input: unknown): Block {
  return attachOriginals({ type: 'tool_use', id: idOf(item), name, input }, [item]);
}

function idOf(item: JsonObject): string {
  return stringOf(item.call_id) ?? stringOf(item.id) ?? '';
}

function decodeToolOutput(item: JsonObject, extensionFields: ExtensionFields): ToolResultBlock {
  const { output } = item;
  const result = { type: 'tool_result', tool_use_id: idOf(item) } as const;
  if (typeof output !== 'string') return { ...result, content: decodeContent(output, extensionFields) };
  if (!output.startsWith(toolErrorPrefix)) return { ...result, content: output };
  return { ...result, content: output.slice(toolErrorPrefix.length), is_error: true };
}
