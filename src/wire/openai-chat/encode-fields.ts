import type { Acceptance } from '../../kernel/acceptance.ts';
import type { ChatRequest, Tool, ToolChoice } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { foreignPartOf } from '../foreign.ts';
import { objectOf, omitUndefined, stringOf } from '../json-values.ts';
import { fitsStrictMode } from '../openai/strict-schema.ts';
import { encodeToolChoice } from '../openai/tool-choice.ts';
import { originalsOf } from '../originals.ts';
import { outputFormatOf } from '../output-format.ts';
import { cacheMarkerOf, type EncodeContext } from './encode-parts.ts';

export function encodeTools(
  tools: readonly Tool[] | undefined,
  encodeContext: EncodeContext,
): readonly JsonObject[] | undefined {
  const encoded = tools?.flatMap((tool) => encodeTool(tool, encodeContext));
  return encoded?.length === 0 ? undefined : encoded;
}

/** Writes tools that came in this format unchanged. */
export function restoreTools(
  tools: readonly Tool[] | undefined,
  encodeContext: EncodeContext,
): readonly JsonObject[] | undefined {
  return tools?.flatMap((tool) => originalsOf(tool) ?? encodeTool(tool, encodeContext));
}

function encodeTool(tool: Tool, encodeContext: EncodeContext): readonly JsonObject[] {
  const foreignPart = foreignPartOf(tool);
  if (foreignPart?.wire === 'openai-chat') return [foreignPart.part];
  if (foreignPart !== undefined || (tool.type !== undefined && tool.type !== 'custom')) {
    encodeContext.dropped.add(`tools[].${foreignPart?.kind ?? tool.type}`);
    return [];
  }
  const { name, description } = tool;
  const parameters = tool.input_schema ?? { type: 'object', properties: {} };
  // Schemas that are strict elsewhere may have what strict mode rejects here.
  const strict = tool.strict === true ? fitsStrictMode(parameters) : tool.strict;
  return [
    {
      type: 'function',
      function: omitUndefined({ name, description, parameters, strict }),
      ...cacheMarkerOf(tool, encodeContext),
    },
  ];
}

/** The names of the functions among encoded tools. */
export function toolNamesOf(tools: readonly JsonObject[] | undefined): readonly string[] {
  return (tools ?? []).flatMap((tool) => stringOf(objectOf(tool.function ?? tool.custom)?.name) ?? '');
}

export function toolChoiceFields(choice: ToolChoice | undefined): JsonObject {
  return encodeToolChoice(choice, (name) => ({ type: 'function', function: { name } }));
}

/** Newer OpenAI models reject the old field name, and many compatible providers don't know the new one. */
export function encodeLimit(
  { model, max_tokens: limit }: ChatRequest,
  { outputLimitField }: Pick<Acceptance, 'outputLimitField'>,
): JsonObject {
  if (limit == null) return {};
  if (outputLimitField !== undefined) return { [outputLimitField]: limit };
  return /^(gpt-(?!oss)|o\d|chatgpt-|codex-|ft:)/.test(model)
    ? { max_completion_tokens: limit }
    : { max_tokens: limit };
}

export function encodeFormat(request: ChatRequest): JsonObject | undefined {
  const format = outputFormatOf(request);
  if (format === undefined) return undefined;
  if (format.type === 'json_object') return { type: 'json_object' };
  const { name = 'response', description, schema = {}, strict = fitsStrictMode(schema) } = format;
  return { type: 'json_schema', json_schema: omitUndefined({ name, description, schema, strict }) };
}
