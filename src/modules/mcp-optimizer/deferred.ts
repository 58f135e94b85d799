import type { Block, Tool, ToolSearch } from '../../module-api.ts';
import { withoutTools } from './left-out.ts';

/** All tools, with those that are left out to be loaded when the model looks for them; none of these may have a cache marker. */
export function withDeferred(
  tools: readonly Tool[],
  left: ReadonlySet<string>,
  search: Tool,
): readonly Tool[] {
  const deferred = tools
    .filter(({ name }) => left.has(name))
    .map(({ cache_control: _, ...tool }): Tool => ({ ...tool, defer_loading: true }));
  return [...withoutTools(tools, left), search, ...deferred];
}

/** What a provider says of its own looking for tools, which clients didn't ask for. */
export function isSearch(block: Block): boolean {
  const { type, name, kind }: { readonly type: string; readonly name?: unknown; readonly kind?: unknown } =
    block;
  if (type === 'server_tool_use') return typeof name === 'string' && name.startsWith('tool_search_tool');
  if (type === 'foreign') return kind === 'tool_search_call' || kind === 'tool_search_output';
  return type === 'tool_search_tool_result';
}

/** What of a tool the model doesn't read before it has looked for it. */
export function unread({ name, description, input_schema }: Tool, search: ToolSearch | undefined): Tool {
  if (search?.showsDescriptions !== true)
    return { name, description: description ?? '', ...(input_schema && { input_schema }) };
  return { name: '', ...(input_schema && { input_schema }) };
}
