import type { Acceptance } from '../../kernel/acceptance.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { ChatRequest, Tool, ToolChoice } from '../../kernel/message.ts';
import { foreignOf } from '../foreign.ts';
import { originalsOf } from '../openai/origin.ts';
import { outputFormatOf } from '../openai/output-format.ts';
import { fitsStrict } from '../openai/strict-schema.ts';
import { encodeToolChoice } from '../openai/tool-choice.ts';
import { defined, objectOf, stringOf } from '../read.ts';
import { type Encoding, markerOf } from './encode-parts.ts';

export function encodeTools(
  tools: readonly Tool[] | undefined,
  encoding: Encoding,
): readonly JsonObject[] | undefined {
  const encoded = tools?.flatMap((tool) => encodeTool(tool, encoding));
  return encoded?.length === 0 ? undefined : encoded;
}

/** As it came, where it came in this format. */
export function restoreTools(
  tools: readonly Tool[] | undefined,
  encoding: Encoding,
): readonly JsonObject[] | undefined {
  return tools?.flatMap((tool) => originalsOf(tool) ?? encodeTool(tool, encoding));
}

function encodeTool(tool: Tool, encoding: Encoding): readonly JsonObject[] {
  const foreign = foreignOf(tool);
  if (foreign?.wire === 'openai-chat') return [foreign.part];
  if (foreign !== undefined || (tool.type !== undefined && tool.type !== 'custom')) {
    encoding.dropped.add(`tools[].${foreign?.kind ?? tool.type}`);
    return [];
  }
  const { name, description } = tool;
  const parameters = tool.input_schema ?? { type: 'object', properties: {} };
  // What is strict elsewhere may still have what strict mode refuses here.
  const strict = tool.strict === true ? fitsStrict(parameters) : tool.strict;
  return [
    {
      type: 'function',
      function: defined({ name, description, parameters, strict }),
      ...markerOf(tool, encoding),
    },
  ];
}

/** The functions among tools that were written. */
export function namesOf(tools: readonly JsonObject[] | undefined): readonly string[] {
  return (tools ?? []).flatMap((tool) => stringOf(objectOf(tool.function ?? tool.custom)?.name) ?? '');
}

export function choiceOf(choice: ToolChoice | undefined): JsonObject {
  return encodeToolChoice(choice, (name) => ({ type: 'function', function: { name } }));
}

/** Newer models of OpenAI's refuse the old name of the limit, and many compatible providers don't know the new one. */
export function encodeLimit(
  { model, max_tokens: limit }: ChatRequest,
  { limitName }: Pick<Acceptance, 'limitName'>,
): JsonObject {
  if (limit == null) return {};
  if (limitName !== undefined) return { [limitName]: limit };
  return /^(gpt-(?!oss)|o\d|chatgpt-|codex-|ft:)/.test(model)
    ? { max_completion_tokens: limit }
    : { max_tokens: limit };
}

export function encodeFormat(request: ChatRequest): JsonObject | undefined {
  const format = outputFormatOf(request);
  if (format === undefined) return undefined;
  if (format.type === 'json_object') return { type: 'json_object' };
  const { name = 'response', description, schema = {}, strict = fitsStrict(schema) } = format;
  return { type: 'json_schema', json_schema: defined({ name, description, schema, strict }) };
}
