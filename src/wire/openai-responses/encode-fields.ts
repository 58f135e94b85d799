import type { ChatRequest, Tool, ToolChoice } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { foreignPartOf } from '../foreign.ts';
import { objectsOf, omitUndefined, stringOf } from '../json-values.ts';
import { fitsStrictMode } from '../openai/strict-schema.ts';
import { encodeToolChoice } from '../openai/tool-choice.ts';
import { originalsOf } from '../originals.ts';
import { outputFormatOf } from '../output-format.ts';
import { regroupNamespaces } from './namespaces.ts';

export function encodeTools(
  tools: readonly Tool[] | undefined,
  dropped: Set<string>,
): readonly JsonObject[] | undefined {
  const encoded = tools?.flatMap((tool) => encodeTool(tool, dropped));
  return encoded?.length === 0 ? undefined : encoded;
}

/** Writes tools that came in this format unchanged; `came` are those tools. */
export function restoreTools(
  tools: readonly Tool[] | undefined,
  clientTools: readonly Tool[] | undefined,
  dropped: Set<string>,
): readonly JsonObject[] | undefined {
  return (
    tools &&
    regroupNamespaces(
      tools.flatMap(
        (tool) => originalsOf(tool) ?? deferOriginalTool(tool, clientTools) ?? encodeTool(tool, dropped),
      ),
    )
  );
}

/** A tool whose only change is deferred loading; in a namespace the flag is on the tool itself. */
function deferOriginalTool(tool: Tool, clientTools: readonly Tool[] = []): readonly JsonObject[] | undefined {
  if (tool.defer_loading !== true) return undefined;
  const before = clientTools.find(({ name, type }) => name === tool.name && type !== 'foreign');
  return before && originalsOf(before)?.map(markDeferred);
}

function markDeferred(tool: JsonObject): JsonObject {
  return tool.type === 'namespace'
    ? { ...tool, tools: objectsOf(tool.tools).map(markDeferred) }
    : { ...tool, defer_loading: true };
}

function encodeTool(tool: Tool, dropped: Set<string>): readonly JsonObject[] {
  const foreignPart = foreignPartOf(tool);
  if (foreignPart?.wire === 'openai-responses') return [foreignPart.part];
  if (foreignPart !== undefined || (tool.type !== undefined && tool.type !== 'custom')) {
    dropped.add(`tools[].${foreignPart?.kind ?? tool.type}`);
    return [];
  }
  if (tool.cache_control != null) dropped.add('cache_control');
  const { name, description } = tool;
  const parameters = tool.input_schema ?? { type: 'object', properties: {} };
  // Strict mode is on by default here, and rejects most schemas not written for it.
  return [
    omitUndefined({
      type: 'function',
      name,
      description,
      parameters,
      strict: tool.strict === true && fitsStrictMode(parameters),
      defer_loading: tool.defer_loading,
    }),
  ];
}

/** The encoded tools that can be chosen by name. */
export function toolNamesOf(tools: readonly JsonObject[] | undefined): readonly string[] {
  return (tools ?? []).map((tool) => stringOf(tool.name) ?? '');
}

export function toolChoiceFields(choice: ToolChoice | undefined): JsonObject {
  return encodeToolChoice(choice, (name) => ({ type: 'function', name }));
}

/** The API's minimum. */
const outputTokensMin = 16;

export function encodeLimit({ max_tokens: limit }: ChatRequest): number | undefined {
  return limit == null ? undefined : Math.max(limit, outputTokensMin);
}

export function encodeFormat(request: ChatRequest): JsonObject | undefined {
  const format = outputFormatOf(request);
  if (format === undefined) return undefined;
  if (format.type === 'json_object') return { type: 'json_object' };
  const { name = 'response', description, schema = {}, strict = fitsStrictMode(schema) } = format;
  return omitUndefined({ type: 'json_schema', name, description, schema, strict });
}
