import { isJsonObject, type JsonObject } from '../../kernel/json.ts';
import type { ChatRequest, Message, Tool, ToolChoice } from '../../kernel/message.ts';
import { acceptedChoice } from '../accepted.ts';
import { foreignOf } from '../foreign.ts';
import { defined } from '../read.ts';
import { cachePoint } from './encode-messages.ts';
import type { Encoding } from './encoding.ts';
import { toolSchema } from './tool-schema.ts';

/** Tools have to be declared where a conversation has calls in it, whether they may be called again or not. */
export function encodeTools(request: ChatRequest, encoding: Encoding): JsonObject | undefined {
  const { dropped } = encoding;
  const declared = (request.tools ?? []).filter((tool) => isPlain(tool, dropped));
  const called = namesCalled(request.messages);
  if (request.tool_choice?.type === 'none' && called.length === 0) return undefined;
  const names = declared.map(({ name }) => name);
  const missing = names.length === 0 ? called : [];
  const tools = [
    ...declared.flatMap((tool) => encodeTool(tool, encoding)),
    ...missing.map((name) => ({ toolSpec: { name, inputSchema: { json: anything } } })),
  ];
  if (tools.length === 0) {
    acceptedChoice(request.tool_choice, [], dropped);
    return undefined;
  }
  const choice = acceptedChoice(request.tool_choice, names, dropped);
  return defined({ tools, toolChoice: encodeChoice(choice, encoding) });
}

function isPlain(tool: Tool, dropped: Set<string>): boolean {
  const foreign = foreignOf(tool);
  if (foreign === undefined && (tool.type === undefined || tool.type === 'custom')) return true;
  dropped.add(`tools[].${foreign?.kind ?? tool.type}`);
  return false;
}

function encodeTool(tool: Tool, encoding: Encoding): readonly JsonObject[] {
  const { name, description, input_schema: schema, cache_control: mark } = tool;
  const { isClaude, isNova } = encoding.traits;
  const inputSchema = { json: toolSchema(isJsonObject(schema) ? schema : anything, isNova) };
  const toolSpec = defined({ name, description: description || undefined, inputSchema });
  return mark == null ? [{ toolSpec }] : [{ toolSpec }, ...cachePoint(mark, isClaude, encoding)];
}

const anything = { type: 'object', properties: {} };

function namesCalled(messages: readonly Message[]): readonly string[] {
  const names = messages.flatMap(({ content }) =>
    typeof content === 'string'
      ? []
      : content.flatMap((block) => (block.type === 'tool_use' ? block.name : [])),
  );
  return [...new Set(names)];
}

/** That it is left to the model is what holds anyway, and some refuse to be told so. */
function encodeChoice(choice: ToolChoice | undefined, { traits, dropped }: Encoding): JsonObject | undefined {
  if (choice === undefined) return undefined;
  if ('disable_parallel_tool_use' in choice && choice.disable_parallel_tool_use === true)
    dropped.add('tool_choice.disable_parallel_tool_use');
  if (choice.type === 'auto') return undefined;
  if (choice.type === 'none' || traits.choices === 'none') {
    dropped.add('tool_choice');
    return undefined;
  }
  return choice.type === 'tool' && traits.choices === 'all' ? { tool: { name: choice.name } } : { any: {} };
}
