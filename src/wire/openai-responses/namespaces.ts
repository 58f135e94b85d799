import { createHash } from 'node:crypto';
import type { JsonObject } from '../../kernel/json.ts';
import type { ToolUseBlock } from '../../kernel/message.ts';
import { objectsOf, stringOf } from '../json-values.ts';

/** A call as it is named here: of a tool in a namespace by both names. */
export interface NamespacedToolUse extends ToolUseBlock {
  readonly namespace?: string;
}

/** The most that all providers take for the name of a tool. */
const toolNameCharsMax = 64;

/** Elsewhere tools have one name. */
export function flattenToolName(namespace: unknown, name: string): string {
  if (typeof namespace !== 'string' || namespace === '') return name;
  const joined = `${namespace}${namespace.endsWith('__') ? '' : '__'}${name}`;
  const flat = joined.replaceAll(/[^\w-]/g, '_');
  if (flat === joined && flat.length <= toolNameCharsMax) return flat;
  const mark = createHash('sha256').update(joined).digest('hex').slice(0, 8);
  return `${flat.slice(0, toolNameCharsMax - 9)}_${mark}`;
}

/** A tool that may be one of a namespace. */
interface DeclaredTool {
  readonly namespace: JsonObject | undefined;
  readonly tool: JsonObject;
  /** Its one name. */
  readonly name: string | undefined;
  /** Whether it stands in the conversation, and not among the tools of the request. */
  readonly comesLater: boolean;
}

/**
 * The tools of a request, those in namespaces one by one. Those that come up in the conversation are behind the others: no other
 * format has tools that come later.
 */
export function declaredTools({ tools, input }: JsonObject): readonly DeclaredTool[] {
  const own = flattenTools(tools);
  const names = new Set(own.map(({ name }) => name));
  const brought = objectsOf(input).flatMap(toolsAddedBy);
  const later = new Map(brought.map((tool) => [tool.name ?? tool, { ...tool, comesLater: true }]));
  return [...own, ...[...later.values()].filter(({ name }) => name === undefined || !names.has(name))];
}

/** Given to the model by the client, or found in a search: whatever else was found, it is told as a result. */
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

/** The one name of a tool that was called: what a search found is called by both of its names, and declared by one. */
export function createToolNameResolver(body: JsonObject): (call: JsonObject) => string {
  const names = new Set(declaredTools(body).map(({ name }) => name));
  return ({ namespace, name: called }) => {
    const name = stringOf(called) ?? '';
    const flat = flattenToolName(namespace, name);
    return names.has(name) && !names.has(flat) ? name : flat;
  };
}

/** Gives calls the names back that their tools have in the request. */
export function createNamespaceRestorer(asked: JsonObject): (use: ToolUseBlock) => NamespacedToolUse {
  const names = new Map<string, { readonly name: string; readonly namespace: string }>();
  for (const { namespace, tool, name: flat } of declaredTools(asked)) {
    const [name, space] = [stringOf(tool.name), stringOf(namespace?.name)];
    if (flat !== undefined && name !== undefined && space !== undefined)
      names.set(flat, { name, namespace: space });
  }
  return (use) => ({ ...use, ...names.get(use.name) });
}

/** Tools of a namespace that follow each other stand in it together. */
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

/** Calls as the provider told them: of a tool that it had to look for, in a namespace of the tool's own name, which clients don't see. */
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
