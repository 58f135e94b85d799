import type { Block, ToolResultBlock } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { objectOf, stringOf } from '../json-values.ts';
import { mediaFromUrl } from '../openai/media.ts';
import { attachOriginals } from '../originals.ts';

/**
 * Items of tools that clients run, each with its own type, as the tool calls and results that other formats have.
 * Undefined for other items, and for tools that the provider ran.
 */
export function decodeClientToolItem(item: JsonObject): Block | undefined {
  if (item.execution === 'server') return undefined;
  const block = callOf(item) ?? resultOf(item);
  return block === undefined ? undefined : attachOriginals(block, [item]);
}

/**
 * Whether an item reports what the provider did itself, which other formats can omit: it has no call id that a client
 * could answer.
 */
export function isProviderItem({ type, execution, role, call_id }: JsonObject): boolean {
  if (execution === 'server') return true;
  if (typeof type !== 'string' || role !== undefined) return false;
  return /^mcp_|compaction/.test(type) || (type.endsWith('_call') && call_id === undefined);
}

function callOf(item: JsonObject): Block | undefined {
  const name = toolNameByCallType.get(item.type);
  if (name === undefined) return undefined;
  const input = item.action ?? item.operation ?? item.arguments ?? { actions: item.actions ?? [] };
  return { type: 'tool_use', id: idOf(item), name, input };
}

function resultOf(item: JsonObject): ToolResultBlock | undefined {
  if (!toolOutputTypes.has(item.type)) return undefined;
  const result = { type: 'tool_result', tool_use_id: idOf(item), content: contentOf(item) } as const;
  return item.status === 'failed' ? { ...result, is_error: true } : result;
}

function contentOf({ output, tools, status }: JsonObject): string | readonly Block[] {
  const screenshot = stringOf(objectOf(output)?.image_url);
  if (screenshot !== undefined) return [{ type: 'image', source: mediaFromUrl(screenshot) }];
  const result = output ?? tools ?? status ?? '';
  return typeof result === 'string' ? result : JSON.stringify(result);
}

function idOf({ call_id, id }: JsonObject): string {
  return stringOf(call_id) ?? stringOf(id) ?? '';
}

const toolNameByCallType: ReadonlyMap<unknown, string> = new Map([
  ['local_shell_call', 'local_shell'],
  ['shell_call', 'shell'],
  ['apply_patch_call', 'apply_patch'],
  ['tool_search_call', 'tool_search'],
  ['computer_call', 'computer'],
]);

const toolOutputTypes: ReadonlySet<unknown> = new Set([
  'local_shell_call_output',
  'shell_call_output',
  'apply_patch_call_output',
  'tool_search_output',
  'computer_call_output',
]);
