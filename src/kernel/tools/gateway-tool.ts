import type { Exchange } from '../exchange.ts';
import type { Block, ChatRequest, Tool } from '../message.ts';

/** A tool that a module adds to a call and answers by itself: the client sees neither the call nor its result. */
export interface GatewayTool {
  /** Under this name, unless a tool of the client's has it. */
  readonly tool: Tool;
  /** What a call of it comes to. What is thrown here is told to the model as a failure of the tool. */
  answer(input: unknown, call: ToolCallContext): ToolAnswer | Promise<ToolAnswer>;
}

export interface ToolCallContext {
  readonly exchange: Exchange;
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
}

export type ToolAnswer =
  | string
  | {
      readonly content: string | readonly Block[];
      /** Whether the content says what went wrong. */
      readonly isError?: boolean;
    }
  /** The client is to make this call instead; what the model said comes back when the client has answered it. */
  | { readonly handOver: { readonly name: string; readonly input: unknown } };

/** The tools by the names that they have in a call. */
export type ToolsByName = ReadonlyMap<string, GatewayTool>;

/** Apart from the client's, and from each other: the same names as long as the client has the same tools. */
export function assignUniqueNames(tools: readonly GatewayTool[], request: ChatRequest): ToolsByName {
  const taken = new Set(request.tools?.map(({ name }) => name));
  const named = new Map<string, GatewayTool>();
  for (const tool of tools) {
    let name = tool.tool.name;
    for (let number = 2; taken.has(name); number++) name = `${tool.tool.name}_${number}`;
    taken.add(name);
    named.set(name, tool);
  }
  return named;
}

/** With these tools behind the client's own. */
export function appendTools(request: ChatRequest, tools: ToolsByName): ChatRequest {
  if (tools.size === 0) return request;
  const added = [...tools].map(([name, { tool }]) => ({ ...tool, name }));
  return { ...request, tools: [...(request.tools ?? []), ...added] };
}
