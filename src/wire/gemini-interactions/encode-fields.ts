import type { Acceptance } from '../../kernel/acceptance.ts';
import type { ChatRequest, Tool, ToolChoice } from '../../kernel/message.ts';
import type { JsonObject } from '../../lib/json.ts';
import { blocksOf } from '../blocks.ts';
import { effortOf } from '../effort.ts';
import { foreignPartOf } from '../foreign.ts';
import { decodeFunctionName, encodeFunctionName } from '../gemini/function-names.ts';
import { omitUndefined } from '../json-values.ts';
import { originalsOf } from '../originals.ts';
import { encodeContent, ownPartOf } from './encode-content.ts';

export function encodeSystem(system: ChatRequest['system'], dropped: Set<string>): string | undefined {
  const parts = encodeContent(blocksOf(system ?? []), dropped);
  return parts.map(({ text }) => text).join('\n\n') || undefined;
}

export function encodeTools(
  tools: readonly Tool[] | undefined,
  dropped: Set<string>,
  keepsOriginals = false,
): readonly JsonObject[] | undefined {
  const all = (tools ?? []).flatMap((tool): readonly JsonObject[] => {
    const own = ownPartOf(tool);
    if (own !== undefined) return [own];
    const foreignPart = foreignPartOf(tool);
    if (foreignPart === undefined && (tool.type === undefined || tool.type === 'custom'))
      return (keepsOriginals ? originalsOf(tool) : undefined) ?? [functionOf(tool, dropped)];
    dropped.add(`tools[].${foreignPart?.kind ?? tool.type}`);
    return [];
  });
  return all.length === 0 ? undefined : all;
}

function functionOf(tool: Tool, dropped: Set<string>): JsonObject {
  if (tool.cache_control != null) dropped.add('cache_control');
  const { name, description, input_schema: parameters } = tool;
  return omitUndefined({ type: 'function', name: encodeFunctionName(name), description, parameters });
}

/** The names that clients gave to the functions among encoded tools. */
export function functionNamesOf(tools: readonly JsonObject[] | undefined): readonly string[] {
  return (tools ?? []).flatMap(({ type, name }) =>
    type === 'function' && typeof name === 'string' ? [decodeFunctionName(name)] : [],
  );
}

export function encodeChoice(
  choice: ToolChoice | undefined,
  dropped: Set<string>,
): string | JsonObject | undefined {
  if (choice == null) return undefined;
  if (choice.type !== 'none' && choice.disable_parallel_tool_use === true)
    dropped.add('tool_choice.disable_parallel_tool_use');
  if (choice.type !== 'tool') return choice.type;
  return { allowed_tools: { mode: 'any', tools: [encodeFunctionName(choice.name)] } };
}

/** Requested thinking is also shown. It can't be turned off here, only be minimal. */
export function encodeThinking(
  request: ChatRequest,
  { efforts }: Acceptance,
  dropped: Set<string>,
): JsonObject {
  const { thinking, output_config: config } = request;
  const levels = efforts.filter((level) => level !== 'none');
  if (config?.effort == null && thinking?.type === 'disabled')
    return levels.includes('minimal') ? { thinking_level: 'minimal' } : {};
  if (config?.effort == null && thinking?.type === 'adaptive' && levels.length > 0)
    return { thinking_summaries: 'auto' };
  const level = effortOf(request, levels, dropped);
  return level === undefined ? {} : { thinking_level: level, thinking_summaries: 'auto' };
}
