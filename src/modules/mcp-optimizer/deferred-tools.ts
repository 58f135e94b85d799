import { type Block, type ChatRequest, isJsonObject, type Tool, type ToolSearch } from '../../module-api.ts';
import { removeTools } from './omitted-tools.ts';
import { isClientTool } from './required-tools.ts';

/** All tools, with the omitted ones deferred until the model searches for them. A deferred tool must not have a cache marker. */
export function deferTools(tools: readonly Tool[], left: ReadonlySet<string>, search: Tool): readonly Tool[] {
  const deferred = tools
    .filter((tool) => left.has(tool.name) && isClientTool(tool))
    .map(({ cache_control: _, ...tool }): Tool => ({ ...tool, defer_loading: true }));
  return [...removeTools(tools, left), search, ...deferred];
}

/** Blocks of the provider's tool search, which the client didn't request. */
export function isToolSearchBlock(block: Block): boolean {
  const { type, name, kind }: { readonly type: string; readonly name?: unknown; readonly kind?: unknown } =
    block;
  if (type === 'server_tool_use') return typeof name === 'string' && name.startsWith('tool_search_tool');
  if (type === 'foreign') return kind === 'tool_search_call' || kind === 'tool_search_output';
  return type === 'tool_search_tool_result';
}

/** Removes references to missing tools from earlier search results: Anthropic rejects calls with them. */
export function removeStaleReferences(request: ChatRequest, tools: readonly Tool[]): ChatRequest {
  const names = new Set(tools.map(({ name }) => name));
  let isChanged = false;
  const messages = request.messages.map((message) => {
    if (typeof message.content === 'string') return message;
    const content = message.content.map((block) => filterReferences(names, block));
    if (content.every((block, at) => block === message.content[at])) return message;
    isChanged = true;
    return { ...message, content };
  });
  return isChanged ? { ...request, messages } : request;
}

function filterReferences(names: ReadonlySet<unknown>, block: Block): Block {
  const { content }: { readonly type: string; readonly content?: unknown } = block;
  if (!isJsonObject(content) || !Array.isArray(content.tool_references)) return block;
  const known = content.tool_references.filter((one) => isJsonObject(one) && names.has(one.tool_name));
  if (known.length === content.tool_references.length) return block;
  return Object.assign({}, block, { content: { ...content, tool_references: known } });
}

/** The part of a deferred tool that the model doesn't read before a search. */
export function unreadPartOf(
  { name, description, input_schema }: Tool,
  search: ToolSearch | undefined,
): Tool {
  if (search?.showsDescriptions !== true)
    return { name, description: description ?? '', ...(input_schema && { input_schema }) };
  return { name: '', ...(input_schema && { input_schema }) };
}
