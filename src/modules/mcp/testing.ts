import assert from 'node:assert/strict';
import {
  type Answer,
  type Block,
  GatewayError,
  type Handler,
  type JsonObject,
  type McpToolDefinition,
  type McpToolResult,
  type McpTools,
  Reply,
} from '../../module-api.ts';

export interface ScriptedServers {
  /** Definitions by server; undefined for a server that is away. */
  servers: Record<string, readonly McpToolDefinition[] | undefined>;
  /** The person whose authorization a server takes. */
  readonly people?: Readonly<Record<string, string>>;
  answer?:
    | ((name: string, input: JsonObject, signal: AbortSignal) => McpToolResult | Promise<McpToolResult>)
    | undefined;
}

/** MCP servers that answer what a test says, in the form of the catalogue. */
export function scriptedMcp(script: ScriptedServers) {
  const calls: { readonly name: string; readonly input: JsonObject }[] = [];
  const tools: McpTools = {
    async list(names = Object.keys(script.servers)) {
      const listed = names.flatMap((server) =>
        (script.servers[server] ?? []).map((definition) => ({
          name: `${server}__${definition.name}`,
          server,
          toolName: definition.name,
          definition,
          personId: script.people?.[server] ?? null,
        })),
      );
      const unavailable = names.filter((server) => script.servers[server] === undefined);
      return { tools: listed, unavailable };
    },
    async call(name, input, { signal }) {
      calls.push({ name, input });
      if (script.answer === undefined) throw new GatewayError('upstream_unreachable', 'the server is away');
      return script.answer(name, input, signal);
    },
  };
  return { calls, mcp: { toolsFor: () => tools } };
}

export function tool(name: string, over: Partial<McpToolDefinition> = {}): McpToolDefinition {
  return {
    name,
    description: `Does ${name}.`,
    inputSchema: { type: 'object', properties: { q: { type: 'string' } } },
    annotations: { readOnlyHint: true },
    ...over,
  };
}

export function complete(text: string, over: JsonObject = {}): McpToolResult {
  return { resultType: 'complete', content: [{ type: 'text', text }], ...over };
}

export function text(said: string): Block {
  return { type: 'text', text: said };
}

export function call(id: string, name: string, input: unknown = {}): Block {
  return { type: 'tool_use', id, name, input };
}

/** A model that says these one after the other. */
export function says(...answers: readonly (readonly Block[])[]): Handler {
  let at = 0;
  return async () => {
    const content = answers[at++] ?? assert.fail('the model was asked too often');
    const answer: Answer = {
      id: `msg_${at}`,
      type: 'message',
      role: 'assistant',
      model: 'm',
      content,
      stop_reason: content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 10, output_tokens: 5 },
    };
    return Reply.of(answer);
  };
}
