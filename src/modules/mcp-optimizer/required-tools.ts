import { type Exchange, isJsonObject, type Message, type Tool } from '../../module-api.ts';
import { extractIdentifiers } from './choice/prepared-tool.ts';
import type { ToolList } from './choice/tool-list.ts';

/** Whether the client runs the tool, and not the provider. */
export function isClientTool({ type }: Tool): boolean {
  return type === undefined || type === 'custom';
}

/** Whether it is a tool search of the client or of its provider. */
export function isToolSearch(tool: Tool): boolean {
  const { type = '', kind }: Tool & { readonly kind?: unknown } = tool;
  return (type === 'foreign' && typeof kind === 'string' ? kind : type).startsWith('tool_search');
}

/** The tools that must stay for any request: used, forced or named. `tools` are those of the list. */
export function findRequiredTools(
  exchange: Exchange,
  list: ToolList,
  { tools, always }: { readonly tools: readonly Tool[]; readonly always: readonly string[] },
): ReadonlySet<number> {
  const { request } = exchange;
  const places = new Map(tools.map(({ name }, at) => [name, at]));
  const needed = new Set<number>();
  const add = (name: string) => {
    const at = places.get(name);
    if (at !== undefined) needed.add(at);
  };
  for (const name of always) add(name);
  for (const name of forcedToolsOf(exchange)) add(name);
  for (const tool of tools) if (!isCalledByModel(tool)) add(tool.name);
  for (const message of request.messages) {
    for (const name of usedToolsOf(message)) add(name);
    for (const text of textsOf(message))
      for (const at of list.indexesNamed(extractIdentifiers(text))) needed.add(at);
  }
  for (const at of list.indexesNamed(extractIdentifiers(systemText(request.system)))) needed.add(at);
  return needed;
}

/** The tools named by the call's tool choice: providers reject the call without them. */
export function forcedToolsOf({ request, clientRequest }: Exchange): readonly string[] {
  const named = collectNames(clientRequest.body.tool_choice);
  return request.tool_choice?.type === 'tool' ? [...named, request.tool_choice.name] : named;
}

/** Other tools are called by programs that the model writes, which the gateway can't see. */
function isCalledByModel(tool: Tool): boolean {
  const callers = 'allowed_callers' in tool ? tool.allowed_callers : undefined;
  return !Array.isArray(callers) || callers.every((caller) => caller === 'direct');
}

function usedToolsOf({ content }: Message): readonly string[] {
  return typeof content === 'string'
    ? []
    : content.flatMap((block) => (block.type === 'tool_use' ? [block.name] : []));
}

/** User and model texts, without tool results, which contain hundreds of names. */
function textsOf({ content }: Message): readonly string[] {
  return typeof content === 'string'
    ? [content]
    : content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
}

function systemText(system: Exchange['request']['system']): string {
  if (system === undefined || typeof system === 'string') return system ?? '';
  return system.map(({ text }) => text).join('\n');
}

/** Every name in the client's tool choice; some formats allow several tools. */
function collectNames(choice: unknown): readonly string[] {
  if (Array.isArray(choice)) return choice.flatMap(collectNames);
  if (!isJsonObject(choice)) return [];
  return Object.entries(choice).flatMap(([field, value]) =>
    field === 'name' && typeof value === 'string' ? [value] : collectNames(value),
  );
}
