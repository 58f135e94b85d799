import type { Acceptance } from '../../kernel/acceptance.ts';
import type { ChatRequest, Tool, ToolChoice } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { effortOf } from '../effort.ts';
import { foreignPartOf } from '../foreign.ts';
import { omitUndefined } from '../json-values.ts';
import { originalsOf } from '../originals.ts';
import { outputFormatOf } from '../output-format.ts';
import type { EncodeContext } from './encode-parts.ts';
import { decodeFunctionName, encodeFunctionName } from './function-names.ts';

/** All functions go into one tool, each provider tool into its own. */
export function encodeTools(
  tools: readonly Tool[] | undefined,
  dropped: Set<string>,
  keepsOriginals = false,
): readonly JsonObject[] | undefined {
  const functionDeclarations: JsonObject[] = [];
  const others: JsonObject[] = [];
  for (const tool of tools ?? []) {
    const foreignPart = foreignPartOf(tool);
    if (foreignPart?.wire === 'gemini') others.push(foreignPart.part);
    else if (foreignPart !== undefined || (tool.type !== undefined && tool.type !== 'custom'))
      dropped.add(`tools[].${foreignPart?.kind ?? tool.type}`);
    else
      functionDeclarations.push(
        ...((keepsOriginals ? originalsOf(tool) : undefined) ?? [declarationOf(tool, dropped)]),
      );
  }
  const all = functionDeclarations.length > 0 ? [{ functionDeclarations }, ...others] : others;
  return all.length === 0 ? undefined : all;
}

/** `parametersJsonSchema` accepts JSON Schema; `parameters` only Google's own schema format. */
function declarationOf(tool: Tool, dropped: Set<string>): JsonObject {
  if (tool.cache_control != null) dropped.add('cache_control');
  const { name, description, input_schema: parametersJsonSchema } = tool;
  return omitUndefined({ name: encodeFunctionName(name), description, parametersJsonSchema });
}

/** The names that clients gave to the functions among encoded tools. */
export function functionNamesOf(tools: readonly JsonObject[] | undefined): readonly string[] {
  return (tools ?? []).flatMap(({ functionDeclarations: declared }) =>
    Array.isArray(declared) ? declared.map((one: JsonObject) => decodeFunctionName(String(one.name))) : [],
  );
}

export function encodeChoice(choice: ToolChoice | undefined, dropped: Set<string>): JsonObject | undefined {
  if (choice == null) return undefined;
  if (choice.type !== 'none' && choice.disable_parallel_tool_use === true)
    dropped.add('tool_choice.disable_parallel_tool_use');
  switch (choice.type) {
    case 'auto':
      return functionCallingConfigOf({ mode: 'AUTO' });
    case 'any':
      return functionCallingConfigOf({ mode: 'ANY' });
    case 'none':
      return functionCallingConfigOf({ mode: 'NONE' });
    case 'tool':
      return functionCallingConfigOf({
        mode: 'ANY',
        allowedFunctionNames: [encodeFunctionName(choice.name)],
      });
  }
}

function functionCallingConfigOf(functionCallingConfig: JsonObject): JsonObject {
  return { functionCallingConfig };
}

export function encodeFormat(request: ChatRequest): JsonObject {
  const format = outputFormatOf(request);
  if (format === undefined) return {};
  const responseMimeType = 'application/json';
  return format.type === 'json_object'
    ? { responseMimeType }
    : { responseMimeType, responseJsonSchema: format.schema ?? {} };
}

/** The maximum: https://ai.google.dev/api/generate-content#v1beta.GenerationConfig. */
const stopsMax = 5;

export function encodeStops(
  stops: ChatRequest['stop_sequences'],
  dropped: Set<string>,
): readonly string[] | undefined {
  if (stops == null || stops.length === 0) return undefined;
  if (stops.length > stopsMax) dropped.add('stop_sequences');
  return stops.slice(0, stopsMax);
}

/**
 * Encodes the effort; requested thinking is also shown. The budget of each level is that of Google's OpenAI-compatible
 * endpoint (https://ai.google.dev/gemini-api/docs/openai#thinking).
 */
export function encodeThinking(
  request: ChatRequest,
  { generation: modelCapabilities, dropped }: Pick<EncodeContext, 'generation' | 'dropped'>,
  { efforts }: Acceptance,
): JsonObject | undefined {
  const { thinking, output_config: config } = request;
  const isShown = !(thinking != null && 'display' in thinking && thinking.display === 'omitted');
  const shown = isShown ? { includeThoughts: true } : {};
  const canBeOff = efforts.includes('none');
  if (thinking?.type === 'disabled' && config?.effort == null)
    return canBeOff ? { thinkingBudget: 0 } : undefined;
  if (efforts.length > 0 && thinking?.type === 'adaptive' && config?.effort == null) return shown;
  const effort = effortOf(request, efforts, dropped);
  if (effort === undefined) return undefined;
  if (effort === 'none') return { thinkingBudget: 0 };
  if (modelCapabilities.thinkingControl === 'by level') return { ...shown, thinkingLevel: effort };
  const requestedBudget = thinking?.type === 'enabled' ? thinking.budget_tokens : undefined;
  const budget =
    config?.effort == null && requestedBudget !== undefined
      ? requestedBudget
      : (budgets[effort] ?? budgets.high);
  return { ...shown, thinkingBudget: Math.min(Math.max(budget, budgets.minimal), budgets.high) };
}

/** Within the range of all models with budgets. */
const budgets: Readonly<Record<string, number>> & { readonly minimal: number; readonly high: number } = {
  minimal: 1024,
  low: 1024,
  medium: 8192,
  high: 24_576,
};
