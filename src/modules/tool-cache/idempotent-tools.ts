import { type ChatRequest, type Tool, toolAnnotationsOf } from '../../module-api.ts';
import type { ToolCacheOptions } from './options.ts';

/** The names of the client's tools that a person or an annotation calls idempotent. */
export function idempotentToolsOf(
  { tools = [] }: ChatRequest,
  options: ToolCacheOptions,
): ReadonlySet<string> {
  return new Set(tools.filter((tool) => isIdempotent(tool, options)).map(({ name }) => name));
}

function isIdempotent(tool: Tool, { plan, idempotent, never }: ToolCacheOptions): boolean {
  // Tools of other types are run by the provider.
  if (tool.type !== undefined && tool.type !== 'custom') return false;
  if (isListed(tool.name, never)) return false;
  return isListed(tool.name, idempotent) || (plan === 'auto' && isAnnotatedIdempotent(tool));
}

function isListed(name: string, list: readonly string[]): boolean {
  return list.some((entry) => (entry.endsWith('*') ? name.startsWith(entry.slice(0, -1)) : name === entry));
}

/** By the MCP specification, a tool that only reads changes nothing either time. */
function isAnnotatedIdempotent(tool: Tool): boolean {
  const { readOnlyHint, idempotentHint } = toolAnnotationsOf(tool) ?? {};
  return readOnlyHint === true || idempotentHint === true;
}
