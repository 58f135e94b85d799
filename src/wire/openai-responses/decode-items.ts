import type { JsonObject } from '../../kernel/json.ts';
import type { Block, Message, TextBlock, ToolResultBlock } from '../../kernel/message.ts';
import { foreignBlock } from '../foreign.ts';
import type { Losses } from '../losses.ts';
import { remember } from '../openai/origin.ts';
import { toolErrorMark } from '../openai/tool-error.ts';
import { toolInputOf } from '../openai/tool-input.ts';
import { stringOf } from '../read.ts';
import { decodeRun } from './client-runs.ts';
import { decodeContent } from './decode-parts.ts';
import { flatName } from './namespaces.ts';
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

/** Items in turns: what the model thought, said and called is one turn, results and the user's words are the next. */
export function decodeItems(items: readonly JsonObject[], losses: Losses): readonly Message[] {
  const messages: Message[] = [];
  for (let at = 0; at < items.length; ) {
    const role = roleOf(items[at] ?? {});
    let end = at + 1;
    while (end < items.length && roleOf(items[end] ?? {}) === role) end++;
    const from = items.slice(at, end);
    messages.push(remember(decodeTurn(role, from, losses), from));
    at = end;
  }
  return messages;
}

function roleOf({ type, role }: JsonObject): Role {
  if (type === undefined || type === 'message') {
    if (role === 'assistant') return 'assistant';
    return role === 'system' || role === 'developer' ? 'system' : 'user';
  }
  const made =
    type === 'reasoning' || type === 'compaction' || (typeof type === 'string' && type.endsWith('_call'));
  return made ? 'assistant' : 'user';
}

function decodeTurn(role: Role, from: readonly JsonObject[], losses: Losses): Message {
  const [only] = from;
  if (from.length === 1 && typeof only?.role === 'string' && typeof only.content === 'string')
    return { role, content: only.content };
  return { role, content: from.flatMap((item) => decodeItem(item, losses)) };
}

function decodeItem(item: JsonObject, losses: Losses): readonly Block[] {
  switch (item.type) {
    case undefined:
    case 'message':
      return decodeContent(item.content, losses, roleOf(item));
    case 'reasoning':
      return [decodeReasoning(item)];
    case 'function_call':
      return [calling(item, toolInputOf(item.arguments, losses))];
    case 'custom_tool_call':
      return [calling(item, { input: stringOf(item.input) ?? '' })];
    case 'function_call_output':
    case 'custom_tool_call_output':
      return [decodeOutput(item, losses)];
    case 'item_reference':
      losses.essential['input[].item_reference'] = true;
  }
  return [decodeRun(item) ?? foreignBlock('openai-responses', item)];
}

function calling(item: JsonObject, input: unknown): Block {
  const name = flatName(item.namespace, stringOf(item.name) ?? '');
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
