import type { Exchange } from '../exchange.ts';
import type { Block, ChatRequest, Tool } from '../message.ts';

/** A tool that a module adds to a call and answers itself: the client sees neither the call nor its result. */
export interface GatewayTool {
  /** The name, unless a tool of the client has it. */
  readonly tool: Tool;
  /** Answers a call. Errors are reported to the model as a failure of the tool. */
  answer(input: unknown, call: ToolCallContext): ToolAnswer | Promise<ToolAnswer>;
  /** How long its answers stay valid; without a plan, each call is answered anew. */
  readonly cache?: ToolCachePlan;
  /** After which time it has failed. */
  readonly timeoutMs?: number;
  /** Whether its arguments leave the gateway: redacted values in them keep their placeholders. */
  readonly isOutside?: boolean;
  /** Whether it calls another tool, whose name its arguments have as `name`. */
  readonly callsOthers?: boolean;
}

/** The answers of a tool are cached if the call's pipeline has `tool-cache`. */
export interface ToolCachePlan {
  readonly seconds: number;
  /** Who gets a cached answer: everybody in the account, the same end user, or the same conversation. */
  readonly scope: 'account' | 'person' | 'conversation';
  /** Within the scope, whose authorization the answers rely on: others don't get them. */
  readonly subject?: string;
  /** The module's tools that change what this one answers: a call of them makes its cached answers invalid, in the whole account. */
  readonly invalidatedBy?: readonly string[];
}

export interface ToolCallContext {
  /** The id of the call in the conversation. */
  readonly id: string;
  readonly exchange: Exchange;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

export type ToolAnswer =
  | string
  | {
      readonly content: string | readonly Block[];
      /** Whether the content is an error message. */
      readonly isError?: boolean;
    }
  /** Hands the call over to the client; the model's turn is restored when the client has answered it. */
  | { readonly handOver: { readonly name: string; readonly input: unknown } };

/** The tools by their names in a call. */
export type ToolsByName = ReadonlyMap<string, GatewayTool>;

/** Avoids the names of the client's tools; stable as long as the client has the same tools. */
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

/** Appends these tools to the client's. */
export function appendTools(request: ChatRequest, tools: ToolsByName): ChatRequest {
  if (tools.size === 0) return request;
  const added = [...tools].map(([name, { tool }]) => ({ ...tool, name }));
  return { ...request, tools: [...(request.tools ?? []), ...added] };
}
