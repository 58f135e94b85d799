import type { ChatRequest, Message, Tool, ToolChoice } from '../../kernel/message.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { availableToolChoice } from '../accepted-fields.ts';
import { foreignPartOf } from '../foreign.ts';
import { omitUndefined } from '../json-values.ts';
import type { EncodeContext } from './encode-context.ts';
import { cachePoint } from './encode-messages.ts';
import { toolSchema } from './tool-schema.ts';

/** Tools must be declared if the conversation has tool calls, even if they may not be called again. */
export function encodeTools(request: ChatRequest, encodeContext: EncodeContext): JsonObject | undefined {
  const { dropped } = encodeContext;
  const declared = (request.tools ?? []).filter((tool) => isFunctionTool(tool, dropped));
  const called = calledToolNames(request.messages);
  if (request.tool_choice?.type === 'none' && called.length === 0) return undefined;
  const names = declared.map(({ name }) => name);
  const missing = names.length === 0 ? called : [];
  const tools = [
    ...declared.flatMap((tool) => encodeTool(tool, encodeContext)),
    ...missing.map((name) => ({ toolSpec: { name, inputSchema: { json: anyObjectSchema } } })),
  ];
  if (tools.length === 0) {
    availableToolChoice(request.tool_choice, [], dropped);
    return undefined;
  }
  const choice = availableToolChoice(request.tool_choice, names, dropped);
  return omitUndefined({ tools, toolChoice: encodeChoice(choice, encodeContext) });
}

function isFunctionTool(tool: Tool, dropped: Set<string>): boolean {
  const foreignPart = foreignPartOf(tool);
  if (foreignPart === undefined && (tool.type === undefined || tool.type === 'custom')) return true;
  dropped.add(`tools[].${foreignPart?.kind ?? tool.type}`);
  return false;
}

function encodeTool(tool: Tool, encodeContext: EncodeContext): readonly JsonObject[] {
  const { name, description, input_schema: schema, cache_control: mark } = tool;
  const { isClaude, isNova } = encodeContext.traits;
  const inputSchema = { json: toolSchema(isJsonObject(schema) ? schema : anyObjectSchema, isNova) };
  const toolSpec = omitUndefined({ name, description: description || undefined, inputSchema });
  return mark == null ? [{ toolSpec }] : [{ toolSpec }, ...cachePoint(mark, isClaude, encodeContext)];
}

const anyObjectSchema = { type: 'object', properties: {} };

function calledToolNames(messages: readonly Message[]): readonly string[] {
  const names = messages.flatMap(({ content }) =>
    typeof content === 'string'
      ? []
      : content.flatMap((block) => (block.type === 'tool_use' ? block.name : [])),
  );
  return [...new Set(names)];
}

/** Omits `auto`: it is the default, and some models reject it. */
function encodeChoice(
  choice: ToolChoice | undefined,
  { traits: modelTraits, dropped }: EncodeContext,
): JsonObject | undefined {
  if (choice === undefined) return undefined;
  if ('disable_parallel_tool_use' in choice && choice.disable_parallel_tool_use === true)
    dropped.add('tool_choice.disable_parallel_tool_use');
  if (choice.type === 'auto') return undefined;
  if (choice.type === 'none' || modelTraits.toolChoices === 'none') {
    dropped.add('tool_choice');
    return undefined;
  }
  return choice.type === 'tool' && modelTraits.toolChoices === 'all'
    ? { tool: { name: choice.name } }
    : { any: {} };
}
