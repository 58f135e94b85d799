import { createHash } from 'node:crypto';
import type { ToolUseBlock } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { objectsOf, stringOf } from '../json-values.ts';

/** A call with its tool's namespace and name. */
export interface NamespacedToolUse extends ToolUseBlock {
  readonly namespace?: string;
}

/** The longest tool name that all providers accept. */
const toolNameCharsMax = 64;

/** Other formats have a single tool name. */
export function flattenToolName(namespace: unknown, name: string): string {
  if (typeof namespace !== 'string' || namespace === '') return name;
  const joined = `${namespace}${namespace.endsWith('__') ? '' : '__'}${name}`;
  const flat = joined.replaceAll(/[^\w-]/g, '_');
  if (flat === joined && flat.length <= toolNameCharsMax) return flat;
  const mark = createHash('sha256').update(joined).digest('hex').slice(0, 8);
  return `${flat.slice(0, toolNameCharsMax - 9)}_${mark}`;
}

/** A tool that may be in a namespace. */
interface DeclaredTool {
  readonly namespace: JsonObject | undefined;
  readonly tool: JsonObject;
  /** Its flattened name. */
  readonly name: string | undefined;
  /** Whether it comes from the input and not from `tools`. */
  readonly comesLater: boolean;
}

/** The tools of a request, flattened; those from the input come last, since other formats declare all tools up front. */
export function declaredTools({ tools, input }: JsonObject): readonly DeclaredTool[] {
  const own = flattenTools(tools);
  const names = new Set(own.map(({ name }) => name));
  const added = objectsOf(input).flatMap(toolsAddedBy);
  const later = new Map(added.map((tool) => [tool.name ?? tool, { ...tool, comesLater: true }]));
  return [...own, ...[...later.values()].filter(({ name }) => name === undefined || !names.has(name))];
}

/** Tools that the client added or a search found; other search results become a tool result. */
function toolsAddedBy({ type, tools }: JsonObject): readonly DeclaredTool[] {
  if (type === 'additional_tools') return flattenTools(tools);
  if (type !== 'tool_search_output') return [];
  return flattenTools(tools).filter(({ tool }) => tool.type === 'function' || tool.type === 'custom');
}

function flattenTools(tools: unknown): readonly DeclaredTool[] {
  return objectsOf(tools).flatMap((tool): readonly DeclaredTool[] => {
    if (tool.type !== 'namespace' || !Array.isArray(tool.tools))
      return [{ namespace: undefined, tool, name: stringOf(tool.name), comesLater: false }];
    return objectsOf(tool.tools).map((inner) => {
      const name = stringOf(inner.name);
      return {
        namespace: tool,
        tool: inner,
        name: name && flattenToolName(tool.name, name),
        comesLater: false,
      };
    });
  });
}

/** The flattened name of a called tool: a search result is called by both names and declared by one. */
export function createToolNameResolver(body: JsonObject): (call: JsonObject) => string {
  const names = new Set(declaredTools(body).map(({ name }) => name));
  return ({ namespace, name: called }) => {
    const name = stringOf(called) ?? '';
    const flat = flattenToolName(namespace, name);
    return names.has(name) && !names.has(flat) ? name : flat;
  };
}

/** Restores the namespace and name that a call's tool has in the request. */
export function createNamespaceRestorer(clientBody: JsonObject): (use: ToolUseBlock) => NamespacedToolUse {
  const names = new Map<string, { readonly name: string; readonly namespace: string }>();
  for (const { namespace, tool, name: flat } of declaredTools(clientBody)) {
    const [name, space] = [stringOf(tool.name), stringOf(namespace?.name)];
    if (flat !== undefined && name !== undefined && space !== undefined)
      names.set(flat, { name, namespace: space });
  }
  return (use) => ({ ...use, ...names.get(use.name) });
}

/** Groups consecutive tools of a namespace. */
export function regroupNamespaces(tools: readonly JsonObject[]): readonly JsonObject[] {
  const all: JsonObject[] = [];
  for (const tool of tools) {
    const before = all.at(-1);
    const together = tool.type === 'namespace' && before?.type === 'namespace' && before.name === tool.name;
    if (together)
      all[all.length - 1] = { ...before, tools: [...objectsOf(before.tools), ...objectsOf(tool.tools)] };
    else all.push(tool);
  }
  return all;
}

/** Calls as the provider sent them: a searched tool is in a namespace of its own name, which clients don't see. */
export function restoreSearchNamespaces(
  items: readonly JsonObject[],
  lookedFor: ReadonlySet<unknown>,
): readonly JsonObject[] {
  if (lookedFor.size === 0) return items;
  return items.map((item) =>
    item.type === 'function_call' && item.namespace === undefined && lookedFor.has(item.name)
      ? { ...item, namespace: item.name }
      : item,
  );
}
