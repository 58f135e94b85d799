import type { JsonObject } from '../../kernel/json.ts';
import type { Block, Message, TextBlock, ToolResultBlock } from '../../kernel/message.ts';
import { foreignBlock, foreignOf } from '../foreign.ts';
import type { Losses } from '../losses.ts';
import { remember } from '../openai/origin.ts';
import { toolErrorMark } from '../openai/tool-error.ts';
import { toolInputOf } from '../openai/tool-input.ts';
import { stringOf } from '../read.ts';
import { decodeRun, isOfProvider } from './client-runs.ts';
import { decodeContent } from './decode-parts.ts';
import { decodeReasoning } from './reasoning.ts';

type Role = Message['role'];

/** How many items at the head are instructions; where all are, the last one is the conversation. */
export function leadingInstructions(items: readonly JsonObject[]): number {
  const first = items.findIndex((item) => roleOf(item) !== 'system');
  return first < 0 ? Math.max(0, items.length - 1) : first;
}

/** Instructions as one string where they are one string, else as blocks. */
export function decodeSystem(
  instructions: unknown,
  items: readonly JsonObject[],
  losses: Losses,
): string | readonly TextBlock[] | undefined {
  const first = stringOf(instructions) ?? '';
  if (items.length === 0) return first === '' ? undefined : first;
  const [only] = items;
  if (first === '' && items.length === 1 && typeof only?.content === 'string') return only.content;
  const blocks = items
    .flatMap((item) => decodeContent(item.content, losses))
    .filter((block) => block.type === 'text');
  return first === '' ? blocks : [{ type: 'text', text: first }, ...blocks];
}

interface Reading {
  readonly losses: Losses;
  /** What a tool that is called is called elsewhere. */
  readonly nameOf: (call: JsonObject) => string;
}

/** Items in turns: what the model thought, said and called is one turn, results and the user's words are the next. */
export function decodeItems(items: readonly JsonObject[], reading: Reading): readonly Message[] {
  const messages: Message[] = [];
  for (const item of items)
    if (isMessage(item) && !roles.has(item.role))
      reading.losses.essential[`input[].${stringOf(item.role) ?? 'role'}`] = true;
  for (let at = 0; at < items.length; ) {
    const role = roleOf(items[at] ?? {});
    let end = at + 1;
    while (end < items.length && belongsTo(role, items[end] ?? {})) end++;
    const from = items.slice(at, end);
    messages.push(remember(decodeTurn(role, from, reading), from));
    at = end;
  }
  return messages;
}

/** Others may be a provider's own: they go back in this format only. */
const roles: ReadonlySet<unknown> = new Set([undefined, 'system', 'developer', 'user', 'assistant']);

function roleOf({ type, role, execution }: JsonObject): Role {
  if (type === undefined || type === 'message') {
    if (role === 'assistant') return 'assistant';
    return role === 'system' || role === 'developer' ? 'system' : 'user';
  }
  const isMade =
    execution === 'server' || made.has(type) || (typeof type === 'string' && type.endsWith('_call'));
  return isMade ? 'assistant' : 'user';
}

const made: ReadonlySet<unknown> = new Set([
  'reasoning',
  'compaction',
  'mcp_list_tools',
  'mcp_approval_request',
]);

/** Tools that come up in the conversation are said by nobody. */
function belongsTo(role: Role, item: JsonObject): boolean {
  return item.type === 'additional_tools' || roleOf(item) === role;
}

function decodeTurn(role: Role, from: readonly JsonObject[], reading: Reading): Message {
  const [only] = from;
  if (from.length === 1 && only !== undefined && isMessage(only) && typeof only.content === 'string')
    return { role, content: only.content };
  return { role, content: from.flatMap((item) => decodeItem(item, reading)) };
}

function isMessage({ type, role, content }: JsonObject): boolean {
  return type === 'message' || (type === undefined && (role !== undefined || content !== undefined));
}

function decodeItem(item: JsonObject, { losses, nameOf }: Reading): readonly Block[] {
  if (isMessage(item)) return decodeContent(item.content, losses, roleOf(item));
  switch (item.type) {
    case 'reasoning':
      return [decodeReasoning(item)];
    case 'function_call':
      return [calling(item, nameOf(item), toolInputOf(item.arguments, losses))];
    case 'custom_tool_call':
      return [calling(item, nameOf(item), { input: stringOf(item.input) ?? '' })];
    case 'function_call_output':
    case 'custom_tool_call_output':
      return [decodeOutput(item, losses)];
    case 'additional_tools':
      // Others have them among their tools.
      return [remember({ type: 'text', text: '' }, [item])];
    case 'item_reference':
      losses.essential['input[].item_reference'] = true;
  }
  const run = decodeRun(item);
  if (run !== undefined) return [run];
  const block = foreignBlock('openai-responses', item);
  if (!isOfProvider(item)) losses.essential[`input[].${foreignOf(block)?.kind}`] = true;
  return [block];
}

function calling(item: JsonObject, name: string, input: unknown): Block {
  return remember({ type: 'tool_use', id: idOf(item), name, input }, [item]);
}

function idOf(item: JsonObject): string {
  return stringOf(item.call_id) ?? stringOf(item.id) ?? '';
}

function decodeOutput(item: JsonObject, losses: Losses): ToolResultBlock {
  const { output } = item;
  const result = { type: 'tool_result', tool_use_id: idOf(item) } as const;
  if (typeof output !== 'string') return { ...result, content: decodeContent(output, losses) };
  if (!output.startsWith(toolErrorMark)) return { ...result, content: output };
  return { ...result, content: output.slice(toolErrorMark.length), is_error: true };
}
