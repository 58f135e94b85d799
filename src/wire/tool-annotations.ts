import type { Tool } from '../kernel/message.ts';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import { objectOf, objectsOf } from './json-values.ts';
import { originalsOf } from './originals.ts';

/** The MCP annotations of a tool, such as `readOnlyHint`, if the client sends them. */
export function toolAnnotationsOf(tool: Tool): JsonObject | undefined {
  if ('annotations' in tool) return objectOf(tool.annotations);
  const original = originalsOf(tool)?.[0];
  const declared = objectsOf(original?.tools)[0] ?? original;
  return objectOf(declared?.annotations) ?? objectOf(objectOf(declared?.function)?.annotations);
}

/** The tools without MCP annotations, which providers reject; the same list if there are none. */
export function withoutAnnotations(tools: readonly Tool[]): readonly Tool[] {
  return tools.some(isStripped) ? tools.map((tool) => (isStripped(tool) ? stripped(tool) : tool)) : tools;
}

/** Tools in a namespace are sent back as they came: they can't be written from their canonical form. */
function isStripped(tool: Tool): boolean {
  const kind = originalsOf(tool)?.[0]?.type;
  return (kind === undefined || kind === 'function') && isJsonObject(toolAnnotationsOf(tool));
}

function stripped(tool: Tool): Tool {
  const { annotations: _, ...rest }: Tool & { readonly annotations?: unknown } = tool;
  return rest;
}
