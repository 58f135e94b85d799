import type { Tool, ToolChoice } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { foreignTool, losslessForeignTool } from '../foreign.ts';
import { objectOf, omitUndefined, stringOf } from '../json-values.ts';
import { freeTextDescription, freeTextSchema } from '../openai/free-text.ts';
import { attachOriginals } from '../originals.ts';
import { declaredTools, flattenToolName } from './namespaces.ts';

export function decodeTools(body: JsonObject): readonly Tool[] | undefined {
  const tools = declaredTools(body);
  if (tools.length === 0 && !Array.isArray(body.tools)) return undefined;
  return tools.map(({ namespace, tool, name, comesLater }) => {
    const described =
      namespace === undefined || name === undefined
        ? tool
        : { ...withNamespaceDescription(tool, namespace), name };
    const original = namespace === undefined ? tool : { ...namespace, tools: [tool] };
    // A tool inside the conversation goes back with its item.
    return attachOriginals(decodeTool(described), comesLater ? [] : [original]);
  });
}

/** The namespace's description goes to the first of its tools. */
function withNamespaceDescription(tool: JsonObject, { description, tools }: JsonObject): JsonObject {
  if (stringOf(description) === undefined || !Array.isArray(tools) || tools[0] !== tool) return tool;
  return { ...tool, description: [description, stringOf(tool.description) ?? ''].join('\n\n').trim() };
}

function decodeTool(tool: JsonObject): Tool {
  const name = stringOf(tool.name);
  const description = stringOf(tool.description);
  if (name === undefined) return decodeForeignTool(tool);
  if (tool.type === 'custom')
    return omitUndefined({ name, description: freeTextDescription(tool), input_schema: freeTextSchema });
  if (tool.type !== 'function') return decodeForeignTool(tool);
  const input_schema = objectOf(tool.parameters) ?? { type: 'object', properties: {} };
  return omitUndefined({ name, description, input_schema, strict: tool.strict === true ? true : undefined });
}

/** Calls from the model's own programs have more fields than other formats support. */
function decodeForeignTool(tool: JsonObject): Tool {
  const made = tool.type === 'programmatic_tool_calling' ? foreignTool : losslessForeignTool;
  return made('openai-responses', tool);
}

/** The request's free-text tools, whose calls have their own item type. */
export function freeTextTools(body: JsonObject): ReadonlySet<string> {
  const names = declaredTools(body).flatMap(({ tool, name = '' }) => (tool.type === 'custom' ? [name] : []));
  return new Set(names);
}

/** Which tools may or must be called, and whether several at once. */
export function decodeToolChoice(choice: unknown, parallel: unknown): ToolChoice | undefined {
  const one = parallel === false ? { disable_parallel_tool_use: true } : {};
  const chosen = objectOf(choice);
  const mode = stringOf(choice) ?? (chosen?.type === 'allowed_tools' ? stringOf(chosen.mode) : undefined);
  if (mode === 'none') return { type: 'none' };
  if (mode === 'required') return { type: 'any', ...one };
  const name = chosen?.type === 'function' || chosen?.type === 'custom' ? stringOf(chosen.name) : undefined;
  if (name !== undefined) return { type: 'tool', name: flattenToolName(chosen?.namespace, name), ...one };
  return mode === 'auto' || parallel === false ? { type: 'auto', ...one } : undefined;
}
